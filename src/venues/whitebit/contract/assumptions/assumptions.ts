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
    silence: 'public endpoints other than ping',
    choice: 'Profile spec serves ping only. Other public endpoints of the API family belong to profile full.',
  },
  unknownParameters: {
    section: '1',
    silence: 'a parameter that no table lists',
    choice:
      'The call is refused, and the answer names the parameter. Live venues ignore it, so a misspelled postOnly places ' +
      'an order without protection; a paper venue should report the mistake. Parameters in the query of a private call ' +
      'are also refused, because only the body is signed. Public calls beyond the specification ignore them. A world ' +
      'may refuse or ignore them in all calls. If a body has a name twice, the last value counts.',
    switch: 'unknownParameters',
  },
  numbersAsText: {
    section: '1',
    silence: 'the digits of a decimal, and whether a JSON number is accepted',
    choice:
      'Decimals must be strings with at most 18 digits before and 18 digits after the point, without sign and exponent. ' +
      'JSON numbers are refused, because a float may have lost digits.',
  },
  actionTypes: {
    section: '2, 4.2',
    silence: 'the ids of flex operations',
    choice:
      '1 invest, 2 reinvest, 3 withdraw, 4 daily earning, 5 close, 6 open, as the public documents list them.',
  },
  positionSides: {
    section: '2, 4.8',
    silence: 'values of positionSide other than LONG, and their meaning',
    choice:
      'LONG, SHORT and BOTH are accepted and returned; without a value the answer has LONG. The account holds one ' +
      'net position per market for all values. A world may refuse SHORT.',
    switch: 'shortSide',
  },
  orderStates: {
    section: '3',
    silence: 'status values and transitions of orders other than FILLED and CANCELED',
    choice:
      'An open order is OPEN, an open order with fills PARTIALLY_FILLED; both end as FILLED or CANCELED and ' +
      'do not change after that. A world may use NEW or ACTIVE instead of OPEN.',
    switch: 'restingStatus',
  },
  closedPlans: {
    section: '4.4',
    silence: 'whether plans without free capacity are listed',
    choice:
      'They are listed, because their investors need them. A new investment is refused with code 2 on plan.',
  },
  flexTransitions: {
    section: '3',
    silence: 'transitions of a flexible investment',
    choice:
      'One investment per plan and account: the first amount opens it, later amounts add to it, and it stays ACTIVE ' +
      'until it is closed. spec.md has no call that closes it.',
  },
  fixedTransitions: {
    section: '3',
    silence: 'status values of a fixed-term investment',
    choice:
      'Active until its term ends or it is closed; then the principal returns to the main account and it stays ' +
      'closed. Closing it twice is a validation error on id.',
  },
  flexEarnings: {
    section: '4.1',
    silence: 'how flexible investments earn',
    choice:
      'Every 24 hours after it opened, an investment earns invested x maxRate / 365, truncated to 8 decimals. With ' +
      'withReinvest the earning joins the investment (action 2), else it goes to the main balance (action 4).',
  },
  fixedEarnings: {
    section: '4.5',
    silence: 'when fixed-term interest is paid',
    choice:
      'Every 24 hours after the start: amount x rate / 365, truncated to 8 decimals, to the main balance. Early ' +
      'closing has no cost and pays nothing for the current day.',
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
    silence: 'the refusal of an amount that breaks a rule of the plan or exceeds the balance',
    choice:
      'The answer is a validation error on amount with code 0. Code 2 is only for flexible investments.',
  },
  batchMaximum: {
    section: '4.8',
    silence: 'the maximum number of orders',
    choice:
      'Twenty, as public documents of the API family say. The body is also sent as a header, so gateways with usual ' +
      'header limits reject more than about sixty orders anyway.',
    switch: 'batchMax',
  },
  stoppedBulk: {
    section: '4.8',
    silence: 'whether the order that stops a bulk has an element in the answer',
    choice:
      'The answer ends with the error of this order. Another world may omit the error, or answer every order, with an ' +
      'error for each order that was not attempted. For the client, an error means that the order was not placed. A ' +
      'missing element means this only if the answer ends with an error, and if no answer of the venue had an ' +
      'element for each order. An answer without an error proves nothing about missing elements.',
    switch: 'stopOnFailAnswer',
  },
  postOnlyCross: {
    section: '4.8',
    silence: 'a postOnly order that would take',
    choice: 'The order fails with an error. Another world may accept the order and cancel it at once.',
    switch: 'postOnlyCross',
  },
  marketRules: {
    section: '4.8',
    silence: 'market rules for prices and totals, in addition to the minimum amount',
    choice:
      'Price and amount are multiples of the steps of the market, and price x amount has a minimum and a maximum; ' +
      'the key of its error is total. The world sets all of them.',
  },
  makerOrders: {
    section: '4.8',
    silence: 'the meaning of rpi, and which of the three flags may be combined',
    choice:
      'An rpi order is maker only and fills after all other orders at its price. The three flags exclude each other.',
  },
  selfTrades: {
    section: '2, 4.8',
    silence: 'values of stp other than no',
    choice: 'There are no other values: an account may trade with itself.',
  },
  clientOrderIds: {
    section: '4.8',
    silence: 'whether a client_order_id may be used twice, and its format',
    choice:
      'Letters, digits, dot, dash and underscore, at most 64. An account may use an id only once, ' +
      'so a resubmission proves the outcome; the half million newest ids are always remembered. A world may free ids of ' +
      'finished orders. Empty is always allowed.',
    switch: 'clientIds',
  },
  executionMoment: {
    section: '4.8',
    silence: 'when an admitted order executes',
    choice:
      'At once, before the next request is admitted: a signed read with a later nonce proves that no older request ' +
      'is pending. A world may delay execution after admission, which breaks that proof.',
    switch: 'executionDelay',
  },
  collateralAccount: {
    section: '4.8, 4.17',
    silence: 'what backs collateral orders',
    choice:
      'A separate collateral account with one net position per market, settled in the money currency, with the ' +
      'leverage of the world (1). An open order reserves its notional divided by the leverage for the part that opens; ' +
      'for the part that closes, the loss at its price beyond the margin that it frees. It is accepted only if the ' +
      'account could also pay the taker fee.',
  },
  collateralFreeze: {
    section: '4.17',
    silence: 'whether the trading balance shows reserved amounts of collateral orders',
    choice:
      'freeze includes them, added to reserved amounts of spot orders, because spec.md has no other view of an open ' +
      'order; available is the spot account only. Public venues hide them here and have a separate call.',
    switch: 'collateralFreeze',
  },
  refundRequest: {
    section: '4.9',
    silence: 'how request could be the Base64 of a body that holds it',
    choice: 'request holds the path, as on every other call; the Base64 of the body is in its header.',
  },
  historyScope: {
    section: '4.10',
    silence: 'whether order history shows collateral orders, its sorting and its delay',
    choice: 'It shows all finished orders, newest first, without delay. A world may delay it.',
    switch: 'historyLag',
  },
  codeFields: {
    section: '4.11',
    silence: 'whether passphrase and description are required',
    choice: 'Both are optional. A description has at most 280 characters.',
  },
  hashrateIntervals: {
    section: '4.14',
    silence: 'allowed intervals of the account hashrate, and which range is incorrect',
    choice:
      '5m, 1h and 24h, default 1h, as for workers. Without from: the last 24 hours. A start after the end, or ' +
      'either after the current time, is an incorrect timestamp.',
  },
  subAccountFields: {
    section: '4.16',
    silence: 'which fields are required',
    choice: 'All three fields are required. Aliases of one owner must differ.',
  },
  signatureKey: {
    section: '5',
    silence: 'the key of the signature, and the signed text',
    choice:
      'HMAC-SHA512 keyed with the API secret (UTF-8) over the text of the payload header, which must be the ' +
      'standard base64 of the exact bytes of the body. Blanks between the parts of the body are accepted; a world ' +
      'may refuse them, as one page of the public documents says.',
    switch: 'blanksInBody',
  },
  envelopeEverywhere: {
    section: '5',
    silence: 'whether request and nonce are mandatory on mining and sub-account calls',
    choice:
      'Both are mandatory on every private call: a call without them could be replayed. The signer adds them.',
  },
  permissionScopes: {
    section: '5',
    silence: 'permission scopes of keys, and OAuth',
    choice:
      'Four: read, trade (orders), funds (moves money or sets destinations), account (sub-accounts). ' +
      'There is no OAuth: the world file lists the keys.',
  },
  nonces: {
    section: '1, 5',
    silence: 'a nonce that does not increase',
    choice:
      'It must be greater than the last nonce of its key, as text up to 2^63 - 1 or as a number up to 2^53 - 1; else ' +
      'the call is refused with 429. It counts once the signature is valid, even if the call fails. With ' +
      'nonceWindow: true, a unique time in milliseconds within 5 s of the venue clock is accepted; a strict world ' +
      'refuses that. A nonce near the current time counts once, in either form.',
    switch: 'nonce',
  },
  webhooks: {
    section: '6',
    silence: 'delivery, payload and signing of deposit.canceled',
    choice:
      'POST {method, params, id}, signed like a call with the key pair of the webhook; 200 confirms it, ' +
      'else it is sent again after 10 minutes, at most 5 times, with the same id and a higher nonce.',
  },
  streams: {
    section: '6',
    silence: 'channels and messages of the streams',
    choice: 'Streams are not in the specification, so profile spec has none.',
  },
  refusalStatus: {
    section: '7',
    silence: 'the HTTP status of errors',
    choice:
      '400 for parameters of the account family, 422 for trading and business rules, 401 for failed authentication, ' +
      '403 for missing permission, 429 for rate limits. A world may use one status for all refusals, except ' +
      'for the 400 of the flex list that spec.md documents.',
    switch: 'refusalStatus',
  },
  errorCodes: {
    section: '7',
    silence: 'the complete list of codes',
    choice: 'Profile spec sends the five documented codes; profile full the finer codes of the API family.',
  },
  rateLimits: {
    section: '8',
    silence: 'limits of the other private endpoints',
    choice:
      'Orders 10000, trading reads 12000, all others 1000 calls in any 10 seconds per key and endpoint. ' +
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
    choice: 'The exchange supports no earlier version.',
  },
  ...accountAssumptions,
  ...marketAssumptions,
  ...streamAssumptions,
  ...tradingAssumptions,
} as const satisfies Record<string, Assumption>
