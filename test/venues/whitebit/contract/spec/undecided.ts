import type { assumptions } from '#src/venues/whitebit/contract/assumptions/assumptions.ts'

type Silence = readonly [section: string, open: string, assumption: keyof typeof assumptions]

/** Every place where the specification says that something is not shown, in the order in which it says so. */
export const silences: readonly Silence[] = [
  ['1', 'which public endpoints there are beside the ping', 'publicEndpoints'],
  ['2', 'which ids the operations of flex investments have', 'actionTypes'],
  ['2', 'which position sides there are beside LONG', 'positionSides'],
  ['3', 'how a flex investment comes from one state to another', 'flexTransitions'],
  ['3', 'which states an order has beside two, and how it moves among them', 'orderStates'],
  ['3', 'which states a fixed-term investment has', 'fixedTransitions'],
  ['4.2', 'the table of operation ids', 'actionTypes'],
  ['4.2', 'how long a page of flex history is, and may be', 'pageDefaults'],
  ['4.5', 'which page of interest is shown when none is asked for', 'pageDefaults'],
  ['4.8', 'how many orders a bulk may have', 'batchMaximum'],
  ['4.10', 'how long a page of order history is, and may be', 'pageDefaults'],
  ['4.11', 'whether passphrase and description are needed', 'codeFields'],
  ['4.14', 'which intervals there are beside the hour', 'hashrateIntervals'],
  ['4.16', 'which fields are needed', 'subAccountFields'],
  ['5', 'with which key a call is signed', 'signatureKey'],
  ['5', 'whether mining and sub-account calls need request and nonce', 'envelopeEverywhere'],
  ['5', 'what a key may be allowed, and how OAuth goes', 'permissionScopes'],
  ['6', 'how a webhook is delivered, what it holds, how it is signed', 'webhooks'],
  ['6', 'which channels the streams have', 'streams'],
  ['7', 'with which status an error is answered', 'refusalStatus'],
  ['7', 'which other codes there are', 'errorCodes'],
  ['8', 'which limits the other private endpoints have', 'rateLimits'],
  ['8', 'what the answer to too many calls looks like', 'tooManyRequests'],
  ['9', 'what becomes of earlier versions', 'earlierVersions'],
]

/** What the specification leaves open without saying so. */
export const openQuestions: readonly Silence[] = [
  ['4.4', 'whether plans closed to new money are listed', 'closedPlans'],
  ['1', 'what becomes of a parameter that no table has', 'unknownParameters'],
  ['1', 'how many digits a decimal may have', 'numbersAsText'],
  ['1', 'what becomes of a nonce that does not rise', 'nonces'],
  ['5', 'what becomes of a nonce that does not rise', 'nonces'],
  ['4.1', 'what a flex investment earns, and when', 'flexEarnings'],
  ['4.5', 'when fixed-term interest is paid', 'fixedEarnings'],
  ['4.6', 'how an amount against the rules is refused', 'fixedRefusals'],
  ['4.8', 'whether the order that stops a bulk is in the answer', 'stoppedBulk'],
  ['4.8', 'what becomes of a maker order that would take', 'postOnlyCross'],
  ['4.8', 'whether an id of the client may come twice', 'clientOrderIds'],
  ['4.8', 'when an order is executed', 'executionMoment'],
  ['4.8', 'what prices and totals have to be like', 'marketRules'],
  ['4.8', 'what the flags mean to each other', 'makerOrders'],
  ['4.8', 'what stp could be beside no', 'selfTrades'],
  ['4.8', 'which money pays for collateral orders', 'collateralAccount'],
  ['4.17', 'whether the balance shows what they hold', 'collateralFreeze'],
  ['4.9', 'how a body could hold itself', 'refundRequest'],
  ['4.10', 'which orders the history shows, and when', 'historyScope'],
]
