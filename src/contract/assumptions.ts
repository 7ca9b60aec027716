import { accountAssumptions } from './account-assumptions.ts'
import type { Assumption } from './assumption.ts'
import { marketAssumptions } from './market-assumptions.ts'
import { streamAssumptions } from './stream-assumptions.ts'
import { tradingAssumptions } from './trading-assumptions.ts'

/**
 * Every choice made where spec.md says "not shown" or leaves a question open, each with its paragraph, and every
 * choice about what spec.md does not have at all. Nothing is assumed anywhere else. Where another venue could choose
 * otherwise and a client would feel it, `switch` names the setting of the world (`config/exchange.yaml`) that turns
 * the choice.
 */
export const assumptions = {
  publicEndpoints: {
    section: '1',
    silence: 'public endpoints other than the ping',
    choice:
      'Profile spec serves the ping alone. What venues of this family offer beyond it belongs to profile full.',
  },
  unknownParameters: {
    section: '1',
    silence: 'what happens to a parameter that no table lists',
    choice:
      'It is refused by name. Live venues drop it silently, so that a misspelled postOnly places an unprotected ' +
      'order; a paper venue that says so is worth more than one that copies the trap. So is one behind a question ' +
      'mark, for only the body is signed. A name that a body has twice counts as it stands there last.',
  },
  numbersAsText: {
    section: '1',
    silence: 'how many digits a decimal may have, and whether a JSON number will do',
    choice:
      'Strings only, at most 18 digits before and 18 behind the point, no sign, no exponent: a JSON number has ' +
      'been a float on its way, and its digits cannot be trusted.',
  },
  actionTypes: {
    section: '2, 4.2',
    silence: 'the ids of flex operations',
    choice:
      '1 invest, 2 reinvest, 3 withdraw, 4 daily earning, 5 close, 6 open, as the public documents list them.',
  },
  positionSides: {
    section: '2, 4.8',
    silence: 'values of positionSide other than LONG, and what it means',
    choice:
      'LONG, SHORT and BOTH are accepted and given back; absent means LONG in the answer. The account holds one ' +
      'net position per market, whatever the order says. A world may refuse SHORT.',
    switch: 'shortSide',
  },
  orderStates: {
    section: '3',
    silence: 'status values and transitions of orders other than FILLED and CANCELED',
    choice:
      'A resting order is OPEN, a resting one with fills PARTIALLY_FILLED; both end as FILLED or CANCELED and ' +
      'never change again. A world may call the first NEW or ACTIVE.',
    switch: 'restingStatus',
  },
  closedPlans: {
    section: '4.4',
    silence: 'whether plans that take no new money are listed',
    choice:
      'They are: who is invested in one wants to see it. Investing into it is refused with code 2 on plan.',
  },
  flexTransitions: {
    section: '3',
    silence: 'transitions of a flexible investment',
    choice:
      'One investment per plan and account: the first amount opens it, later ones add to it, and it stays ACTIVE ' +
      'until it is closed. Spec.md has no call that closes it.',
  },
  fixedTransitions: {
    section: '3',
    silence: 'status values of a fixed-term investment',
    choice:
      'Active until its term ends or it is closed; then the principal is back in the main account and it stays ' +
      'closed. Closing twice is a validation error on id.',
  },
  flexEarnings: {
    section: '4.1',
    silence: 'how flexible investments earn',
    choice:
      'Every 24 hours after its opening an investment earns invested x maxRate / 365, cut to 8 decimals. With ' +
      'withReinvest the earning joins the investment (action 2), else it goes to the main balance (action 4).',
  },
  fixedEarnings: {
    section: '4.5',
    silence: 'when fixed-term interest is paid',
    choice:
      'Every 24 hours after the start, amount x rate / 365, cut to 8 decimals, to the main balance. Closing ' +
      'early costs nothing and pays nothing for the day that was begun.',
  },
  pageDefaults: {
    section: '4.2, 4.5, 4.10',
    silence: 'defaults and maxima of limit',
    choice:
      'Flex history 50 of at most 100; interest 100 of at most 100; order history 50 of at most 500; every offset ' +
      'starts at 0 and may be at most 1000000. The flex list takes at most 100, its default.',
  },
  fixedRefusals: {
    section: '4.6',
    silence: 'how an amount against the rules of the plan or above the balance is refused',
    choice: 'As a validation error on amount: code 0, for code 2 belongs to flexible investments.',
  },
  batchMaximum: {
    section: '4.8',
    silence: 'the maximum number of orders',
    choice:
      'Twenty, as public documents of the family say. The body travels a second time as a header, so that ' +
      'gateways with usual header limits cut off somewhere above sixty anyway.',
    switch: 'batchMax',
  },
  stoppedBulk: {
    section: '4.8',
    silence: 'whether the order that stops a bulk has an element in the answer',
    choice:
      'It has: the answer ends with its error. Worlds may leave it out, or answer every order, the ones never ' +
      'looked at with an error of their own. The client reads an error as an order that was not placed, and a missing ' +
      'element so only in the shape that the venue file or an answer has shown. An empty answer proves nothing.',
    switch: 'stopOnFailAnswer',
  },
  postOnlyCross: {
    section: '4.8',
    silence: 'what becomes of a postOnly order that would take',
    choice: 'It fails with an error element. A world may accept it and cancel it at once instead.',
    switch: 'postOnlyCross',
  },
  marketRules: {
    section: '4.8',
    silence: 'what a market asks of prices and totals, beside the minimum of the amount',
    choice:
      'Price and amount move in steps of the market, and price x amount has a minimum and a maximum; the key ' +
      'of that one is total. All are set by the world.',
  },
  makerOrders: {
    section: '4.8',
    silence: 'what rpi does, and which of the three flags go together',
    choice: 'An rpi order only makes, behind all others at its price. The three flags exclude each other.',
  },
  selfTrades: {
    section: '2, 4.8',
    silence: 'values of stp other than no',
    choice: 'There is none: nothing keeps an account from trading with itself.',
  },
  clientOrderIds: {
    section: '4.8',
    silence: 'whether a client_order_id may be used twice, and its form',
    choice:
      'Letters, digits, dot, dash and underscore, at most 64. Per account an id is used once and never again, ' +
      'which makes a resubmission a proof; a world may free it when the order is done. Empty is always free.',
    switch: 'clientIds',
  },
  executionMoment: {
    section: '4.8',
    silence: 'when an admitted order executes',
    choice:
      'At once, before the next request is admitted: a signed read with a later nonce proves that nothing older ' +
      'is still to come. A world may delay execution after admission to break that proof.',
    switch: 'executionDelay',
  },
  collateralAccount: {
    section: '4.8, 4.17',
    silence: 'what collateral orders are paid from',
    choice:
      'From a collateral account of its own, one net position per market, settled in the money currency, leverage ' +
      'as the world says (1). A resting order holds its notional divided by the leverage for what it opens; ' +
      'for what it closes, the loss that its price would bring beyond the margin it frees. It is taken only if the ' +
      'account could pay the taker fee on top.',
  },
  collateralFreeze: {
    section: '4.17',
    silence: 'whether the trading balance shows what collateral orders hold',
    choice:
      'freeze shows it, added to what spot orders hold, because spec.md offers no other view of a resting order; ' +
      'available is the spot account alone. Public venues hide it here and have a call of its own.',
    switch: 'collateralFreeze',
  },
  refundRequest: {
    section: '4.9',
    silence: 'how request could be the Base64 of a body that holds it',
    choice: 'It holds the path, as on every other call; the Base64 of the body stands in its header.',
  },
  historyScope: {
    section: '4.10',
    silence: 'whether order history shows collateral orders, its order, and how soon',
    choice: 'It shows all finished orders, newest first, at once. A world may let it lag.',
    switch: 'historyLag',
  },
  codeFields: {
    section: '4.11',
    silence: 'which of passphrase and description are required',
    choice: 'Neither. A description has at most 280 characters.',
  },
  hashrateIntervals: {
    section: '4.14',
    silence: 'allowed intervals of the account hashrate, and which range is incorrect',
    choice:
      '5m, 1h and 24h, default 1h, as for workers. Without from the last 24 hours. A start after the end, or ' +
      'either after the current time, is an incorrect timestamp.',
  },
  subAccountFields: {
    section: '4.16',
    silence: 'which fields are required',
    choice: 'All three. Aliases of one owner differ.',
  },
  signatureKey: {
    section: '5',
    silence: 'the key of the signature, and what it covers',
    choice:
      'HMAC-SHA512 keyed with the API secret (UTF-8) over the text of the payload header, which must be the ' +
      'standard base64 of the very bytes of the body.',
  },
  envelopeEverywhere: {
    section: '5',
    silence: 'whether request and nonce are mandatory on mining and sub-account calls',
    choice:
      'They are, on every private call: the signer adds them, and a call without them could be replayed.',
  },
  permissionScopes: {
    section: '5',
    silence: 'permission scopes of keys, and OAuth',
    choice:
      'Four: read, trade (orders), funds (what moves money or says where it goes), account (sub-accounts). ' +
      'There is no OAuth: keys are named in the world.',
  },
  nonces: {
    section: '1, 5',
    silence: 'what happens to a nonce that does not rise',
    choice:
      'It must be greater than the last one of its key, as text up to 2^63 - 1 or as a number up to 2^53 - 1, or ' +
      'the call is refused with 429. It counts once the signature is right, whatever becomes of the call. With ' +
      'nonceWindow: true a unique millisecond time within 5 s of the venue will do; a strict world refuses that. ' +
      'A nonce near the present counts once, in whichever of the two ways it came.',
    switch: 'nonce',
  },
  webhooks: {
    section: '6',
    silence: 'delivery, payload and signing of deposit.canceled',
    choice:
      'POST {method, params, id}, signed like a call but with the key pair of the webhook; 200 is taken as ' +
      'received, else it comes again after 10 minutes, at most 5 times, with the same id and a higher nonce.',
  },
  streams: {
    section: '6',
    silence: 'channels and messages of the streams',
    choice: 'Beyond the spec: profile spec serves none.',
  },
  refusalStatus: {
    section: '7',
    silence: 'the HTTP status of errors',
    choice:
      '400 for parameters of the account family, 422 for trading and business rules, 401 for what is not proven, ' +
      '403 for what is not allowed, 429 for too much. A world may answer refusals with one status for all, but ' +
      'for the 400 of the flex list that spec.md documents.',
    switch: 'refusalStatus',
  },
  errorCodes: {
    section: '7',
    silence: 'the complete list of codes',
    choice: 'Profile spec sends the five documented ones; profile full sends the finer ones of the family.',
  },
  rateLimits: {
    section: '8',
    silence: 'limits of the other private endpoints',
    choice:
      'Orders 10000, trading reads 12000, everything else 1000 calls in any 10 seconds per key and endpoint. ' +
      'Calls with a wrong key or signature: 10000 per address.',
    switch: 'rateLimits',
  },
  tooManyRequests: {
    section: '8',
    silence: 'the answer to an exceeded limit',
    choice:
      '429 with Retry-After and the error object of public or private calls. A world may answer both like a ' +
      'gateway, in HTML.',
    switch: 'tooManyRequests',
  },
  earlierVersions: {
    section: '9',
    silence: 'earlier versions and deprecation',
    choice: 'None is served.',
  },
  ...accountAssumptions,
  ...marketAssumptions,
  ...streamAssumptions,
  ...tradingAssumptions,
} as const satisfies Record<string, Assumption>
