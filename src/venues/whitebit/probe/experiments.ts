import { amendments, crosses, refusedAmendment } from './amend-experiments.ts'
import { blanksInBody, historySpan, nonceMode, refusalStatus, unknownParameters } from './call-experiments.ts'
import type { Experiment } from './experiment.ts'
import { clientIds, lists } from './list-experiments.ts'
import { batchMax, stoppedBulk } from './bulk-experiments.ts'
import { priceBand, shortSide, spelling } from './order-experiments.ts'

/** The table of experiments, in their order: a later one may need the result of an earlier one. A new experiment is a new row. */
export const experiments: readonly Experiment[] = [
  {
    finds: ['unknownParameters'],
    question: 'what becomes of a parameter that the venue does not know?',
    needs: 'reads',
    run: unknownParameters,
  },
  { finds: ['nonce'], question: 'may a nonce be lower than the last one?', needs: 'reads', run: nonceMode },
  {
    finds: ['refusalStatus'],
    question: 'which HTTP status has a refusal?',
    needs: 'reads',
    run: refusalStatus,
  },
  {
    finds: ['blanksInBody'],
    question: 'may a body have blanks?',
    needs: 'reads',
    run: blanksInBody,
  },
  {
    finds: ['historySpan'],
    question: 'how many days may a read of the history have?',
    needs: 'reads',
    run: historySpan,
  },
  {
    finds: ['spelling'],
    question: 'what is the name of the client order id?',
    needs: 'orders',
    run: spelling,
  },
  { finds: ['batchMax'], question: 'how many orders may a bulk have?', needs: 'orders', run: batchMax },
  {
    finds: ['priceBand'],
    question: 'how far from the market may a price be?',
    needs: 'orders',
    run: priceBand,
  },
  {
    finds: ['restingStatus', 'executionDelay', 'historyLag', 'settle', 'collateralFreeze'],
    question: 'when do lists show an order, and its end?',
    needs: 'distance',
    run: lists,
  },
  {
    finds: ['clientIds'],
    question: 'may a client order id be used twice?',
    needs: 'distance',
    run: clientIds,
  },
  {
    finds: ['failedElement', 'stopOnFailAnswer'],
    question: 'what becomes of the orders behind a refused one?',
    needs: 'distance',
    run: stoppedBulk,
  },
  {
    finds: ['shortSide'],
    question: 'may an order name the short side?',
    needs: 'distance',
    run: shortSide,
  },
  {
    finds: ['amendId', 'amendClientId', 'amendTerms', 'amendLists', 'amendGone'],
    question: 'what becomes of an order that is amended, and of an amendment of an order that has ended?',
    needs: 'distance',
    run: amendments,
  },
  {
    finds: ['amendRefused'],
    question: 'does an order stay open if its amendment is refused?',
    needs: 'distance',
    run: refusedAmendment,
  },
  {
    finds: ['postOnlyCross', 'amendCross'],
    question: 'what becomes of a postOnly order that would take, as a new order and as an amended one?',
    needs: 'distance',
    run: crosses,
  },
  {
    finds: ['amendFilled'],
    question: 'what is the amount of an amended order that has filled in part?',
    needs: 'never',
    why: 'this needs an order that has filled in part, and no order of the probe is meant to fill',
  },
  {
    finds: ['tooManyRequests', 'rateLimits'],
    question: 'what becomes of too many requests?',
    needs: 'never',
    why: 'this needs thousands of calls in ten seconds, and the venue may block the address',
  },
  {
    finds: ['takerBand'],
    question: 'how far may a market order go?',
    needs: 'never',
    why: 'this needs a market order',
  },
]
