import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { statusOf, titleOf } from '../../format/orders.ts'
import { stepText } from '../../format/step-text.ts'
import { milliText } from '../../format/times.ts'
import { noteStep } from '../../live/first-steps.ts'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { hrefOf } from '../../router.ts'
import type { Frame, OrderState, Step } from './order-state.ts'

const CHECKS_MAX = 8

/** The story of the order on a cord: each decision with its numbers, request, event and stream frames. */
export function WhyCard({
  state: { order, explanation, frames },
}: {
  readonly state: OrderState
}): JSX.Element {
  useEffect(() => {
    noteStep('why', `“${titleOf(order)}”: ${statusOf(order).word.toLowerCase()}.`, hrefOf('orders', order.id))
  }, [order.id])
  const [isLong, setLong] = useState(false)
  const texts = explanation.steps.map((step) => ({ step, text: stepText(step) }))
  const checks = texts.filter(({ text }) => text.knot === 'check').length
  const isShort = checks > CHECKS_MAX && !isLong
  const shown = isShort ? texts.filter(({ text }) => text.knot !== 'check') : texts
  return (
    <Card title="Why" beside={<span class="right faint">times in New York</span>}>
      <div class="body">
        <ol class="cord">
          {shown.map(({ step, text }, index) => (
            <li key={`${step.code} ${step.at} ${step.number} ${index}`} class={text.knot}>
              <div class="when">
                <b>{text.title}</b>
                <time dateTime={step.at} title={step.at}>
                  {milliText(step.at)}
                </time>
              </div>
              <p title={step.sentence}>{text.sentence}</p>
              {isFirstOf(
                step,
                shown.map((one) => one.step),
                index,
              ) && <Chips step={step} frames={frames} />}
            </li>
          ))}
        </ol>
        {isShort && (
          <button type="button" class="link" onClick={() => setLong(true)}>
            Show {checks} checks
          </button>
        )}
      </div>
    </Card>
  )
}

/** Steps of one event show its request and frames once. */
const isFirstOf = ({ number }: Step, steps: readonly Step[], index: number): boolean =>
  number !== undefined && steps.findIndex((one) => one.number === number) === index

function Chips({ step, frames }: { readonly step: Step; readonly frames: readonly Frame[] }): JSX.Element {
  const sent = frames.filter(({ number }) => number === step.number)
  return (
    <div class="chips">
      {step.request_id !== undefined && (
        <a class="chip tint" href={hrefOf('activity', step.request_id)}>
          <Icon name="pulse" />
          request …{step.request_id.slice(-7)}
        </a>
      )}
      <span class="chip">event {step.number}</span>
      {sent.map(({ event }) => (
        <span key={event} class="chip">
          <Icon name="plug" />
          frame {event.replaceAll('_', ' ')}
        </span>
      ))}
    </div>
  )
}
