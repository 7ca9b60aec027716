import { reportGrids } from './grid-ratios.ts'
import { reportPackaged, texts } from './packaged-ratios.ts'

/**
 * What CI holds: the ratios of `work` for the grids and for two packaged strategies in a month, at twice the limits, since other
 * programs may run on the machine.
 */
const margin = 2
await reportGrids(1, margin)
const some = texts.filter(({ name }) => /^0[18]-/.test(name))
await reportPackaged(some, { minutes: 43_200, rounds: 1, margin })
