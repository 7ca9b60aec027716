/** Megabytes a minute, of the line that fits best. */
export function growthOf(points: readonly { minutes: number; mb: number }[]): number {
  const [at, height] = [mean(points.map(({ minutes }) => minutes)), mean(points.map(({ mb }) => mb))]
  const above = points.map(({ minutes, mb }) => (minutes - at) * (mb - height))
  return mean(above) / mean(points.map(({ minutes }) => (minutes - at) ** 2))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
