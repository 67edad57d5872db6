import { computed, effect, signal } from '@preact/signals'
import type { LoggedRequest } from '@quipu/sdk'
import { priceText, quantityText } from '../../format/amounts.ts'
import { titleOf } from '../../format/orders.ts'
import { current } from '../../live/current.ts'
import { doneSteps, type FirstStep, firstStepNames, noteStep } from '../../live/first-steps.ts'
import { collect } from '../../live/frames.ts'
import { eventTitle } from '../../live/market-events.ts'
import { repeat } from '../../live/repeat.ts'
import { type Connection, connect, operator } from '../../session/connections.ts'
import { worldName, worlds } from '../../session/selection.ts'
import { isOperator, session } from '../../session/session.ts'

/** The world where the viewer signed in: `main` on most servers. */
export const homeWorld = computed(() => session.value?.world ?? 'main')

/** The steps that the viewer may do: only operators control worlds. */
export const viewerSteps = computed<readonly FirstStep[]>(() =>
  firstStepNames.filter((step) => isOperator.value || (step !== 'crash' && step !== 'fork')),
)
export const doneCount = computed(() => viewerSteps.value.filter((step) => doneSteps.value[step]).length)
export const areAllDone = computed(() => doneCount.value === viewerSteps.value.length)
export const nextStep = computed(() => viewerSteps.value.find((step) => !doneSteps.value[step]))

/** Requests of programs, newest first; undefined until they are read. */
export const programRequests = signal<readonly LoggedRequest[] | undefined>(undefined)

/** What happened before the list was opened has been read. */
export const areStepsKnown = computed(
  () => programRequests.value !== undefined && (worlds.value !== undefined || !isOperator.value),
)

const SHOWN_MAX = 8
const READ_MAX = 1000

/** A program with a key of an account; the dashboard and the command line are none. */
export const isOfProgram = ({ source, key_id: key, account_id: account }: LoggedRequest): boolean =>
  (source === 'program' || source === 'app') && key !== undefined && account !== undefined

/** Notices what happened, until the returned function is called. */
export function followSteps(): () => void {
  const ends = [effect(noticeOrder), effect(noticeWorlds), effect(followPrograms)]
  return () => {
    for (const end of ends) end()
  }
}

const homeAccount = (): Connection | undefined => {
  const first = session.value?.accounts[0]
  return first && connect({ kind: 'account', world: homeWorld.value, accountId: first.id })
}

/** The first order of the account: at once from the live store, or from the list when the steps are shown. */
function noticeOrder(): void {
  const connection = homeAccount()
  if (doneSteps.value.order || !connection) return
  const store = worldName.value === homeWorld.value ? current.value?.store : undefined
  void store?.openOrders.value
  void store?.activities.value
  connection.client.listOrders({ query: { status: 'all', limit: 1, nested: false } }).then(
    ([order]) => {
      if (order === undefined || order.status === 'rejected') return
      const { side, symbol, filled_qty: filled, filled_avg_price: price } = order
      const text =
        price == null
          ? `${titleOf(order)}: accepted.`
          : `${side === 'buy' ? 'Bought' : 'Sold'} ${quantityText(filled)} ${symbol} at ${priceText(price)}.`
      noteStep('order', text, `orders/${order.id}`)
    },
    () => undefined,
  )
}

function noticeWorlds(): void {
  for (const { world, parent, market_events: events = [] } of worlds.value ?? []) {
    const crash = events.find(({ kind }) => kind === 'crash')
    if (crash) noteStep('crash', `In the world ${world}: ${eventTitle(crash)}.`, `?world=${world}`)
    if (parent !== undefined) noteStep('fork', `${world} is a fork of ${parent}.`, `worlds?world=${world}`)
  }
}

/** Follows the request log of the home world. */
function followPrograms(): (() => void) | undefined {
  const connection = isOperator.value ? operator() : homeAccount()
  if (!connection) return undefined
  const closing = new AbortController()
  const params = { world: homeWorld.value }
  programRequests.value = undefined
  const take = collect<LoggedRequest>((added) => {
    const known = programRequests.peek() ?? []
    programRequests.value = [...added.filter(isOfProgram).toReversed(), ...known].slice(0, SHOWN_MAX)
    noticeProgram()
  })
  void repeat(closing.signal, async () => {
    const query = { last: READ_MAX, limit: READ_MAX }
    const read = (await connection.client.listRequests({ params, query }, { signal: closing.signal }))
      .requests
    programRequests.value = read.filter(isOfProgram).toReversed().slice(0, SHOWN_MAX)
    noticeProgram()
    const last = read.at(-1)?.number
    const from = { params, query: last === undefined ? { last: READ_MAX } : { cursor: `${last}` } }
    for await (const message of connection.events.listRequests(from as never, { signal: closing.signal }))
      if (message.event === 'request') take(message.data)
  })
  return () => closing.abort()
}

function noticeProgram(): void {
  const first = programRequests.peek()?.at(-1)
  if (!first) return
  const agent = first.agent === undefined ? '' : ` ${first.agent.slice(0, 40)}.`
  noteStep(
    'bot',
    `First request: ${first.method} ${first.path} ${first.status ?? ''}.${agent}`,
    `activity/${first.request_id}`,
  )
}
