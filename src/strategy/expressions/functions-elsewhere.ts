type Hints = readonly (readonly [word: string, hint: string])[]

/** The keys of a condition tree with an example of their value, and the words of other languages for them. */
const conditions = {
  crosses_above: ['[last(px), 60000]', 'crossover', 'cross_above', 'cross_over', 'cross', 'crosses'],
  crosses_below: ['[last(px), 60000]', 'crossunder', 'cross_below', 'cross_under'],
  rises: ['last(px)', 'rising'],
  falls: ['last(px)', 'falling'],
  all: ['[last(px) > 60000, last(px) < 65000]', 'and'],
  any: ['[last(px) > 60000, last(px) < 50000]', 'or'],
  not: ['last(px) > 60000'],
} as const

/** Words for a condition, which is neither a function nor a key of a rule. */
export const conditionsElsewhere: Hints = Object.entries(conditions).flatMap(([key, [example, ...words]]) =>
  [key, ...words].map(
    (word) => [word, `${key} is a key of a condition: when: { ${key}: ${example} }`] as const,
  ),
)

/** The same hint for several words. */
export function hintFor(hint: string, ...words: string[]): Hints {
  return words.map((word) => [word, hint] as const)
}

const days = 'on_days reads the day of the week: when: on_days(clock, "Mon,Tue,Wed,Thu,Fri")'
const times = 'the time of day is read as a range: when: time_between(clock, "09:00", "17:00")'
const past = 'prev() reads an earlier value: when: last(px) > prev(last(px), 3)'

/** Functions of other languages, and how a strategy of Rungs expresses the same. */
export const functionsElsewhere: ReadonlyMap<string, string> = new Map([
  ...conditionsElsewhere,
  ...hintFor(days, 'weekday', 'day_of_week', 'dayofweek', 'day', 'date'),
  ...hintFor(times, 'hour', 'minute', 'time', 'now', 'timestamp'),
  ...hintFor(past, 'previous', 'shift', 'ago', 'lag', 'offset'),
  ['log', 'ln() is the natural logarithm'],
  ['close', 'last() reads the closing price of the last closed candle: when: last(px) > 60000'],
])
