import type { Assumption } from './assumption.ts'

/** What was chosen about an account, its money and its settings, beyond spec.md. */
export const accountAssumptions = {
  eitherForm: {
    section: 'beyond',
    silence: 'whether an integer may be sent as text, and a decimal as a JSON number',
    choice:
      'In profile full an integer may come as its plain decimal text, and a decimal as a JSON number whose shortest ' +
      'text is a plain decimal: clients of the family mix them. Profile spec takes neither; booleans have one form.',
  },
  unknownKeys: {
    section: 'beyond',
    silence: 'how a key is refused that nobody has',
    choice:
      'Like a wrong signature, with 401 and code 10, and after the same work: who tries keys does not learn which ' +
      'there are. Live venues say so with code 2. A key that there is and that may not do this has code 4.',
  },
  unknownCurrencies: {
    section: 'beyond',
    silence: 'the main balance of a currency that there is none of',
    choice:
      'In profile full it is 0, under its ticker like every other one, where profile spec refuses the ticker. Live ' +
      'venues are documented with and without the ticker around it.',
  },
  transfers: {
    section: 'beyond.transfers',
    silence: 'which transfers there are, when they arrive, and what collateral may give',
    choice:
      'Any currency between any two of main, spot and collateral, at once. Collateral gives what no order and no ' +
      'position needs; anything above what an account can give is refused with code 3.',
  },
  transactions: {
    section: 'beyond.transfers',
    silence: 'what the history of deposits and withdrawals has to show',
    choice:
      'The deposits of the world, as their notices tell of them, and the withdrawals that the world says happened ' +
      'before it began: no call of this venue withdraws. A refunded deposit stays canceled (4). startDate is taken, as ' +
      'foreign clients send it, and changes nothing.',
  },
  codes: {
    section: 'beyond.codes',
    silence: 'who may apply a code, what its states are called, and who may see codes',
    choice:
      'Whoever knows it and its passphrase, its maker too, once; a passphrase for a code without one is a wrong one. ' +
      'A code is New until it is applied, then Activated. Lists of codes ask for the permission funds, because a ' +
      'code is money to whoever reads it.',
  },
  flexChanges: {
    section: 'beyond.flex',
    silence: 'what may be taken out of a flexible investment, and what closing does',
    choice:
      'Up to all of it at any time, below the minimum too; an emptied investment stays active and earns nothing. ' +
      'Closing pays everything out, but nothing for the day that was begun, and ends the investment for good: ' +
      'investing again opens another. Without an active investment each of them is refused with code 2.',
  },
  fixedAmounts: {
    section: 'beyond.fixed',
    silence:
      'how an amount is refused that a fixed-term plan does not take, and whether one may be in it twice',
    choice:
      'In profile full with Inner validation failed and the codes of the family: 1 for who is in the plan already, ' +
      'until that investment has ended, 2 below the minimum, 3 above the maximum, 4 beyond the balance. Every plan ' +
      'can pay its interest, so there is no 5. Profile spec lets an account into a plan any number of times.',
  },
  fixedLists: {
    section: 'beyond.fixed',
    silence: 'what percent and paymentTime mean, and which plans are listed',
    choice:
      'percent is the interest of a year, as rate is in the world file. paymentTime is when interest is due next, of ' +
      'a closed investment when it ended. Closed plans are listed as inactive (3), and can take 0 more.',
  },
  subAccounts: {
    section: 'beyond.sub-accounts',
    silence: 'what a sub-account is in a venue where nobody can sign in as one',
    choice:
      'A main balance under the name of its owner, who alone moves money in and out, at once, and who keeps its alias ' +
      'and permissions. It has no key and does not trade, so its spot and collateral balances are 0. An e-mail ' +
      'address is needed unless KYC is shared, is shown masked, and nothing is sent to it.',
  },
  miningAccounts: {
    section: 'beyond.mining',
    silence: 'the overview of mining accounts',
    choice:
      'Every pool account of the caller: its workers, where its payouts go, and the hashrate at the newest five ' +
      'minutes of the chart, in the units and with the draws of the hashrate history. That history has a ' +
      'rejectRate in profile full: 0, for this pool refuses no share.',
  },
  marketFees: {
    section: 'beyond.fees',
    silence: "which fees are an account's own",
    choice:
      'Every account pays the rates of the market, as percent. custom_fee lists all markets; taker and maker are ' +
      'those of the first spot market of the world, the futures ones those of its first futures market.',
  },
  streamTokens: {
    section: 'beyond.streams',
    silence: 'how long a token for the streams holds, and how often it may be used',
    choice:
      'Five minutes, any number of times: a connection that was opened with it outlives it. An account has at most ' +
      '100 at a time; of more, the oldest ends.',
  },
} as const satisfies Record<string, Assumption>
