/** Beyond this, the tail of a double is zero. */
const farthest = 38
/** The series converges quickly below this, the continued fraction above. */
const seriesMost = 3
const fractionSteps = 60
const newtonSteps = 60

function normalDensity(x: number): number {
  return Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI)
}

/** The share of a standard normal distribution below `x`, with a relative error of about 1e-14. */
export function normalBelow(x: number): number {
  if (Number.isNaN(x)) return x
  if (Math.abs(x) > farthest) return x < 0 ? 0 : 1
  if (Math.abs(x) < seriesMost) return 0.5 + normalDensity(x) * series(x)
  const tail = normalDensity(x) / fraction(Math.abs(x))
  return x < 0 ? tail : 1 - tail
}

/** x + x³/3 + x⁵/(3·5) + x⁷/(3·5·7) + … */
function series(x: number): number {
  let [term, sum] = [x, x]
  for (let odd = 3; Math.abs(term) > Math.abs(sum) * Number.EPSILON; odd += 2) {
    term *= (x * x) / odd
    sum += term
  }
  return sum
}

/** x + 1/(x + 2/(x + 3/(x + …))), the inverse of Mills' ratio. */
function fraction(x: number): number {
  let value = x
  for (let step = fractionSteps; step > 0; step--) value = x + step / value
  return value
}

/** The value below which lies this share of a standard normal distribution. */
export function normalQuantile(share: number): number {
  if (!(share > 0)) return share === 0 ? -Infinity : Number.NaN
  if (share > 0.5) return share < 1 ? -normalQuantile(1 - share) : share === 1 ? Infinity : Number.NaN
  // Starts too far from the middle, where Newton's method on the logarithm converges from one side.
  let x = share < 0.5 ? -Math.sqrt(-2 * Math.log(2 * share)) : 0
  for (let step = 0; step < newtonSteps; step++) {
    const below = normalBelow(x)
    const change = ((Math.log(share) - Math.log(below)) * below) / normalDensity(x)
    x += change
    if (Math.abs(change) <= Number.EPSILON * Math.abs(x)) break
  }
  return x
}
