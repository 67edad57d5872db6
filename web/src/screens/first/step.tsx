import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { titleOf } from '../../format/orders.ts'
import type { DoneStep, FirstStep } from '../../live/first-steps.ts'
import { Icon } from '../../parts/icon.tsx'
import { go, hrefOf } from '../../router.ts'
import { worlds } from '../../session/selection.ts'
import { startOrder } from '../../ticket/ticket-fields.ts'
import { BotStep } from './bot-step.tsx'
import {
  demoHref,
  forkDemoDay,
  isDemoReady,
  makeDemoWorld,
  missedOrder,
  playing,
  readMissedOrder,
} from './demo.ts'

type StepProps = {
  readonly name: FirstStep
  readonly number: number
  readonly done: DoneStep | undefined
  readonly isNext: boolean
}

type StepWords = {
  readonly title: string
  readonly about: string
  readonly takes: string
  readonly isOfWorld?: true
  /** The link after it is done. */
  readonly link: string
  readonly Action: () => JSX.Element | null
}

const words: Readonly<Record<FirstStep, StepWords>> = {
  order: {
    title: 'Place your first order',
    about: 'Buy one share of Apple. The ticket says what it costs before you send it.',
    takes: 'takes 20 seconds',
    link: 'See it',
    Action: OrderAction,
  },
  crash: {
    title: 'Crash the market',
    about: 'Play a day on which every stock falls 6 % at 10:26, with a bot that trades through it.',
    takes: 'takes 10 seconds',
    isOfWorld: true,
    link: 'Look at it',
    Action: CrashAction,
  },
  why: {
    title: 'Ask why',
    about: 'An order of the demo bot did not fill. See the reason in one sentence.',
    takes: 'takes 30 seconds',
    link: 'Read it again',
    Action: WhyAction,
  },
  fork: {
    title: 'Fork the day',
    about: 'Go back to 10:20, change one order, and compare both days.',
    takes: 'takes 30 seconds',
    isOfWorld: true,
    link: 'Compare',
    Action: ForkAction,
  },
  bot: {
    title: 'Point your bot here',
    about: 'Any program for the Alpaca API works. Set three variables and start it.',
    takes: 'when you are ready',
    link: 'Watch it live',
    Action: () => <BotStep />,
  },
}

/** One step: what to do, or what happened. */
export function Step({ name, number, done, isNext }: StepProps): JSX.Element {
  const { title, about, takes, isOfWorld, link, Action } = words[name]
  const kind = done ? 'ok' : isNext ? 'here' : ''
  return (
    <li class={`${kind} ${isOfWorld && !done ? 'sim' : ''}`} data-number={number} aria-label={title}>
      <div class="when">
        <h2>{title}</h2>
        {!done && <span class="takes faint small">{takes}</span>}
      </div>
      {done ? (
        <p>
          <span class="hidden-text">Done. </span>
          {done.text}{' '}
          {done.href !== undefined && (
            <a class="link" href={done.href}>
              {link}
            </a>
          )}
        </p>
      ) : (
        <p>{about}</p>
      )}
      {(!done || name === 'bot') && (
        <div class="step-action" data-changes={name === 'why' ? undefined : true}>
          <Action />
        </div>
      )}
    </li>
  )
}

type ActionProps = {
  readonly run: () => unknown
  readonly isOfWorld?: boolean
  readonly isOff?: boolean
  readonly children: ComponentChildren
}

const Action = ({ run, isOfWorld, isOff, children }: ActionProps): JSX.Element => (
  <button
    type="button"
    class={`button ${isOfWorld ? 'sim' : 'main'}`}
    disabled={isOff}
    onClick={() => void run()}
  >
    {children}
  </button>
)

function OrderAction(): JSX.Element {
  const start = () => {
    go(hrefOf('workspace'))
    startOrder({ symbol: 'AAPL', side: 'buy', size: '1', unit: 'shares', type: 'market' })
  }
  return <Action run={start}>Buy 1 AAPL</Action>
}

function CrashAction(): JSX.Element {
  const time = playing.value
  return (
    <Action run={makeDemoWorld} isOfWorld isOff={time !== undefined || worlds.value === undefined}>
      <Icon name="bolt" /> {time === undefined ? 'Play the crash day' : `Playing ${time}`}
    </Action>
  )
}

function WhyAction(): JSX.Element {
  const isReady = isDemoReady.value
  useEffect(() => {
    if (isReady) void readMissedOrder().catch(() => undefined)
  }, [isReady])
  const order = isReady ? missedOrder.value : undefined
  if (!order)
    return (
      <p class="faint small">
        <span>
          The crash day has such an order. Or open any order on{' '}
          <a class="link" href={hrefOf('orders')}>
            Orders
          </a>
          .
        </span>
      </p>
    )
  return (
    <a class="button main" href={demoHref('orders', order.id)}>
      Why did “{titleOf(order).replace(' or better', '')}” not fill?
    </a>
  )
}

function ForkAction(): JSX.Element {
  return isDemoReady.value ? (
    <Action run={() => forkDemoDay().catch(() => undefined)} isOfWorld>
      <Icon name="fork" /> Fork it at 10:20
    </Action>
  ) : (
    <p class="faint small">
      Play the crash day first, or press <kbd>f</kbd> in any world.
    </p>
  )
}
