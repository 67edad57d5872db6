import type { JSX } from 'preact'
import { priceText } from '../../format/amounts.ts'
import { problemText } from '../../format/problem-text.ts'
import { dayText, longDayText, minuteText, secondText } from '../../format/times.ts'
import { Icon } from '../../parts/icon.tsx'
import { toast } from '../../parts/toasts.tsx'
import { actingOperator } from '../../session/connections.ts'
import { world } from '../../session/selection.ts'
import { isOperator } from '../../session/session.ts'
import { showNewWorld } from '../../shell/show-new-world.ts'
import { startOrder } from '../../ticket/ticket-fields.ts'
import type { OrderState, Step } from './order-state.ts'

type Tile = { readonly label: string; readonly value: string; readonly about: string }

/** The tiles of the steps that say what would have filled the order, by code. */
const tiles: Readonly<Record<string, (at: string, limit: string) => Tile>> = {
  limitInLife: (at, limit) => ({
    label: 'A limit of',
    value: limit,
    about: `would have filled at ${secondText(at)}`,
  }),
  limitAtOnce: (at, limit) => ({
    label: 'At once with',
    value: limit,
    about: `the quote at ${secondText(at)}`,
  }),
  limitReachedAt: (at, limit) => ({
    label: `Left open, ${limit} fills`,
    value: `${longDayText(at).slice(0, 3)} ${secondText(at)}`,
    about: dayText(at),
  }),
  limitNotReached: (at, limit) => ({
    label: `Left open, ${limit}`,
    value: 'not filled',
    about: `up to ${longDayText(at)}`,
  }),
  electedAt: (at) => ({ label: 'The stop is reached', value: secondText(at), about: dayText(at) }),
  stopNotReached: (at) => ({ label: 'The stop', value: 'not reached', about: `up to ${longDayText(at)}` }),
  limitInAuction: (at, limit) => ({ label: 'In its auction', value: limit, about: minuteText(at) }),
}

function tileOf({ code, numbers, at }: Step): Tile | undefined {
  const limit = numbers['limit_price'] === undefined ? '' : priceText(numbers['limit_price'])
  return tiles[code]?.(at, limit)
}

/** What would have filled the order, and when. */
export function Alternatives({ state }: { readonly state: OrderState }): JSX.Element | null {
  const { counterfactual } = state.explanation
  const shown = counterfactual.map(tileOf).filter((tile) => tile !== undefined)
  if (shown.length === 0) return null
  const isVirtual = world.value?.clock === 'virtual'
  const nearest = counterfactual.find(({ code }) => code === 'limitInLife')
  return (
    <>
      <div class="stats alternatives">
        {shown.map(({ label, value, about }) => (
          <div key={label}>
            <p class="of-sim small">{label}</p>
            <b class="n">{value}</b>
            <p class="soft small">{about}</p>
          </div>
        ))}
      </div>
      <footer>
        {isVirtual
          ? 'True in this world: the same seed gives the same market.'
          : 'From the quotes of the market.'}
        {isVirtual && isOperator.value && nearest && (
          <button
            data-changes
            type="button"
            class="button small right"
            onClick={() => void tryInFork(state, nearest)}
          >
            <Icon name="fork" />
            Try {priceText(nearest.numbers['limit_price'] ?? '0')} in a fork
          </button>
        )}
      </footer>
    </>
  )
}

/** Forks the world at the instant of the order, and fills the ticket with the other limit. */
async function tryInFork({ order }: OrderState, { numbers }: Step): Promise<void> {
  const name = world.peek()?.world
  if (name === undefined) return
  try {
    const body = { at: order.submitted_at ?? order.created_at }
    const fork = await actingOperator().client.forkWorld({ params: { world: name }, body: body as never })
    await showNewWorld(fork)
    startOrder({
      symbol: order.symbol,
      side: order.side as 'buy' | 'sell',
      type: 'limit',
      size: order.qty ?? '',
      unit: 'shares',
      limitPrice: numbers['limit_price'] ?? '',
    })
  } catch (error) {
    toast(problemText(error as Error))
  }
}
