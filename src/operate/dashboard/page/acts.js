// Commands of the operator, each with a reason.

import { part, say } from './page-parts.js'

/**
 * `strategy` is null for all of them. For `/cancel` the name is that of an order.
 * @typedef {{ path: '/stop' | '/halt' | '/pause' | '/resume' | '/cancel', strategy: string | null }} Act
 * @typedef {(path: string, body: object) => Promise<unknown>} Call
 */

/** @type {Record<Act['path'], [verb: string, done: string, text: string]>} */
const words = {
  '/stop': [
    'Stop',
    'stopped',
    'No strategy places entries until you resume. Open entries stay at the venue, exits work, and the process keeps running.',
  ],
  '/halt': [
    'Halt',
    'halted',
    'The strategy places no entries until you resume it. Its open entries are cancelled if the venue can cancel. Exits work.',
  ],
  '/pause': [
    'Pause',
    'paused',
    'The strategy places no entries until you resume it. Its open entries stay at the venue. Exits work.',
  ],
  '/cancel': [
    'Cancel',
    'cancelled',
    'The bot cancels this entry. Its rung stays empty until you resume the strategy.',
  ],
  '/resume': [
    'Resume',
    'resumed',
    'The strategy sends orders again as soon as its rules and limits allow it.',
  ],
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
    const body = { reason: reason.value.trim() || `${words[path][1]} by an operator` }
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
    const [verb, , about] = words[next.path]
    const doing = `${verb} ${next.strategy ?? (next.path === '/stop' ? 'all' : 'everything')}`
    const text = isReal ? `This bot trades real money. ${about}` : about
    say(part('act-title'), next.path === '/stop' ? `${doing} strategies?` : `${doing}?`)
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
