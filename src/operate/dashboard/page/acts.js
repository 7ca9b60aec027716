// Commands of the operator, each with a reason.

import { part, say } from './page-parts.js'

/**
 * `strategy` is null for all of them. For `/cancel` the name is that of an order.
 * @typedef {{ path: '/stop' | '/halt' | '/pause' | '/resume' | '/cancel', strategy: string | null }} Act
 * @typedef {(path: string, body: object) => Promise<unknown>} Call
 */

/** @type {Record<Act['path'], (name: string) => [title: string, text: string, button: string]>} */
const words = {
  '/stop': () => [
    'Stop all strategies?',
    'No strategy places entries until you resume. Open entries stay at the venue, exits work, and the process keeps running.',
    'Stop all',
  ],
  '/halt': (name) => [
    `Halt ${name}?`,
    'The strategy places no entries until you resume it. Its open entries are cancelled if the venue can cancel. Exits work.',
    `Halt ${name}`,
  ],
  '/pause': (name) => [
    `Pause ${name}?`,
    'The strategy places no entries until you resume it. Its open entries stay at the venue. Exits work.',
    `Pause ${name}`,
  ],
  '/cancel': (name) => [
    `Cancel ${name}?`,
    'The bot cancels this entry. Its rung stays empty until you resume the strategy.',
    `Cancel ${name}`,
  ],
  '/resume': (name) => [
    `Resume ${name}?`,
    'The strategy sends orders again as soon as its rules and limits allow it.',
    `Resume ${name}`,
  ],
}

/** @type {Record<Act['path'], string>} */
const done = {
  '/stop': 'stopped',
  '/halt': 'halted',
  '/pause': 'paused',
  '/cancel': 'cancelled',
  '/resume': 'resumed',
}

/** @param {Call} call */
export function actsOf(call) {
  const dialog = part('act', HTMLDialogElement)
  const form = part('act-form', HTMLFormElement)
  const reason = part('act-reason', HTMLInputElement)
  const exits = part('act-exits', HTMLFieldSetElement)
  const work = part('act-work', HTMLInputElement)
  const flatten = part('act-flatten', HTMLInputElement)
  const freeze = part('act-freeze', HTMLInputElement)
  const button = part('act-do', HTMLButtonElement)
  /** @type {Act} */
  let act = { path: '/stop', strategy: null }
  part('act-leave').addEventListener('click', () => dialog.close())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void doIt()
  })

  async function doIt() {
    button.disabled = true
    const fault = await told()
    button.disabled = false
    if (fault === undefined) dialog.close()
    else say(part('act-fault'), fault)
  }

  /** The error message. */
  async function told() {
    const { path, strategy } = act
    const body = { reason: reason.value.trim() || `${done[path]} by an operator` }
    const stops = path === '/stop' || path === '/halt'
    const closes = stops && flatten.checked
    const frozen = stops && freeze.checked && { freeze: true }
    try {
      if (path === '/cancel') await call(path, { reason: body.reason, order: strategy })
      else if (path !== '/stop')
        await call(path, { ...body, strategy, ...frozen, ...(closes && { flatten: true }) })
      else await call(path, { ...body, ...frozen })
      if (path === '/stop' && closes) await call('/halt', { ...body, strategy, flatten: true })
    } catch (error) {
      return `The action failed: ${error instanceof Error ? error.message : String(error)}`
    }
    return undefined
  }

  return (/** @type {Act} */ next, /** @type {boolean} */ isReal) => {
    act = next
    const [title, about, doing] = words[next.path](next.strategy ?? 'everything')
    const text = isReal ? `This bot trades real money. ${about}` : about
    say(part('act-title'), title)
    say(part('act-text'), text)
    say(button, doing)
    say(part('act-fault'), '')
    reason.value = ''
    work.checked = true
    exits.hidden = next.path !== '/stop' && next.path !== '/halt'
    dialog.showModal()
    reason.focus()
  }
}
