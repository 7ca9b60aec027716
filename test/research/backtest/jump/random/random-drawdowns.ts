/** Limits of a loss that a strategy by chance may have. */
export const drawdowns = [
  'pause: 50%, halt: 60%',
  'pause: 50%, halt: 60%',
  'pause: 0.05%, halt: 50%',
  'pause: 0.05%, halt: 0.1%',
  'pause: 0.2%, halt: 0.3%',
  'pause: { at: 0.05%, for: 30s }, halt: 50%',
  'pause: { at: 0.05%, within: 45s }, halt: 0.2%',
  'pause: { at: 0.04%, reset: daily }, halt: 50%',
]
