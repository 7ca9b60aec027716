import type { Assumption } from './assumption.ts'

/** What was chosen about an account, its money and its settings, beyond spec.md. */
export const accountAssumptions = {
  eitherForm: {
    section: 'beyond',
    silence: 'whether an integer may be sent as text, and a decimal as a JSON number',
    choice:
      'Profile full accepts an integer as plain decimal text, and a decimal as a JSON number whose shortest text is ' +
      'a plain decimal: clients of this API family mix them. Profile spec accepts neither; booleans have one form.',
  },
  unknownKeys: {
    section: 'beyond',
    silence: 'the refusal of an unknown key',
    choice:
      'Same as a wrong signature: 401 and code 10, after the same work, so a caller cannot find out which keys ' +
      'exist. Live venues send code 2. A known key without permission gets code 4.',
  },
  unknownCurrencies: {
    section: 'beyond',
    silence: 'the main balance of a currency without balance',
    choice:
      'Profile full answers 0 under its ticker, as for every currency; profile spec refuses the ticker. Live ' +
      'venues are documented with and without the ticker in the answer.',
  },
  transfers: {
    section: 'beyond.transfers',
    silence: 'transfers between accounts, their delay, and what the collateral account may give',
    choice:
      'Any currency between any two of main, spot and collateral, without delay. The collateral account gives only ' +
      'what no order and no position needs; a larger amount is refused with code 3.',
  },
  transactions: {
    section: 'beyond.transfers',
    silence: 'content of the history of deposits and withdrawals',
    choice:
      'The deposits of the world, and the withdrawals that the world file lists as past: no call of this venue ' +
      'withdraws. A refunded deposit stays canceled (4). startDate, which foreign clients send, is accepted and ' +
      'has no effect.',
  },
  codes: {
    section: 'beyond.codes',
    silence: 'who may apply a code, its states, and who may see codes',
    choice:
      'Everyone who knows the code and its passphrase, its creator included, once; a passphrase for a code without ' +
      'one is wrong. A code is New until it is applied, then Activated. Lists of codes need the permission funds, ' +
      'because a code is money for everyone who reads it.',
  },
  flexChanges: {
    section: 'beyond.flex',
    silence: 'withdrawals from a flexible investment, and the effect of closing it',
    choice:
      'Any amount up to all of it at any time, below the minimum too; an empty investment stays active and earns ' +
      'nothing. Closing pays out everything, except for the current day, and ends the investment: a new investment ' +
      'opens another one. Without an active investment both calls are refused with code 2.',
  },
  fixedAmounts: {
    section: 'beyond.fixed',
    silence: 'refusals of amounts of fixed-term plans, and whether an account may join a plan twice',
    choice:
      'Profile full: Inner validation failed with the codes of the API family: 1 while an investment of the account ' +
      'in the plan is active, 2 below the minimum, 3 above the maximum, 4 above the balance. There is no code 5, ' +
      'because every plan can pay its interest. Profile spec: any number of investments per account and plan.',
  },
  fixedLists: {
    section: 'beyond.fixed',
    silence: 'the meaning of percent and paymentTime, and which plans are listed',
    choice:
      'percent is the interest per year, like rate in the world file. paymentTime is the next payment of interest; ' +
      'for a closed investment, its end. Closed plans are listed as inactive (3) and accept 0 more.',
  },
  subAccounts: {
    section: 'beyond.sub-accounts',
    silence: 'what a sub-account is, and what its permissions do',
    choice:
      'A main balance in the name of its owner. Only the owner moves money in and out, without delay, and sets ' +
      'alias and permissions. One that a world file gives an account has its keys and balances: without ' +
      'spotEnabled or collateralEnabled, new orders of this kind are refused like those of a key without the ' +
      'permission (403), and transfers from or to this balance with code 0 (422). Open orders stay, and can be ' +
      'modified, canceled and filled; positions can be closed. Others do not trade: their spot and collateral ' +
      'balances are 0. An e-mail address is required unless KYC is shared; it is shown masked, and no mail is sent.',
  },
  miningAccounts: {
    section: 'beyond.mining',
    silence: 'the list of mining accounts',
    choice:
      'All pool accounts of the caller in the order of the world file, at most 100 in an answer. createdAt is the ' +
      'begin of the hashrate history. That history has rejectRate in profile full: 0, because this pool refuses ' +
      'no share.',
  },
  marketFees: {
    section: 'beyond.fees',
    silence: 'fees of an account',
    choice:
      'Every account pays the rates of the market, in percent. custom_fee lists all markets; taker and maker are ' +
      'those of the first spot market of the world, the futures fees those of its first futures market.',
  },
  streamTokens: {
    section: 'beyond.streams',
    silence: 'how long a stream token is valid, and how often it may be used',
    choice:
      'Five minutes, any number of times; open connections outlive it. An account has at most 100 tokens; beyond ' +
      'that the oldest one expires.',
  },
} as const satisfies Record<string, Assumption>
