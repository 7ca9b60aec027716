import type { z } from 'zod'

/** Parameter name, dotted for elements (`actionTypes.0`), to what is wrong with it: spec §7. */
export type Problems = Record<string, string[]>

/** Without a prototype: a stranger may call a field `__proto__`. */
export function noProblems(): Problems {
  const none: Problems = Object.create(null)
  return none
}

export const unknownField = 'This field is not known.'

/** What zod found, in the words and keys of the error object. */
export function problemsOf(error: z.ZodError): Problems {
  const problems = noProblems()
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add(problems, [...issue.path, key], unknownField)
    } else add(problems, issue.path, sentence(issue))
  }
  return problems
}

/** Texts that a field declares for itself travel as they are; the rest read like the venue's own. */
function sentence(issue: z.core.$ZodIssue): string {
  // An element of a list is called by the name of its list.
  const field = inWords(issue.path.findLast((part) => typeof part === 'string') ?? 'body')
  if (!issue.message.startsWith('Invalid ') && !issue.message.startsWith('Too ')) return issue.message
  if (issue.message.endsWith('received undefined') || ('input' in issue && issue.input === undefined)) {
    return `The ${field} field is required.`
  }
  switch (issue.code) {
    case 'invalid_type':
      return `The ${field} must be ${article(issue.expected)}.`
    case 'too_big':
      // Past 2^53 nobody can say which integer was meant.
      if ('note' in issue) return `The ${field} must be an integer.`
      if (issue.origin === 'array') return `The ${field} may not have more than ${issue.maximum} items.`
      return issue.origin === 'string'
        ? `The ${field} may not be greater than ${issue.maximum} characters.`
        : `The ${field} may not be greater than ${issue.maximum}.`
    case 'too_small':
      if (issue.origin === 'string' || issue.origin === 'array') return `The ${field} may not be empty.`
      return `The ${field} must be at least ${issue.minimum}.`
    default:
      return `The selected ${field} is invalid.`
  }
}

/** `investmentStatus` and `transaction_id` as one says them. */
function inWords(name: string): string {
  return name.replaceAll('_', ' ').replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** Every number that a request takes is a whole one: amounts travel as text. */
function article(type: string): string {
  if (type === 'int' || type === 'number') return 'an integer'
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`
}

function add(problems: Problems, path: readonly PropertyKey[], text: string): void {
  const key = path.length === 0 ? 'body' : path.map(String).join('.')
  const texts = Object.hasOwn(problems, key) ? problems[key] : undefined
  if (texts) texts.push(text)
  else problems[key] = [text]
}
