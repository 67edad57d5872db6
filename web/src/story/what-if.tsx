import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { priceText, quantityText } from '../format/amounts.ts'
import { dayText, secondText } from '../format/times.ts'
import { type WhatIf as Computed, computeWhatIf, type Subject } from './story-state.ts'

/** A slider over the limit price, with the fill that the order would have had. Leaving stops the computation. */
export function WhatIf({ subject }: { readonly subject: Subject }): JSX.Element {
  const [found, setFound] = useState<Computed>()
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    const leaving = new AbortController()
    computeWhatIf(subject, leaving.signal).then(setFound, (error: Error) => {
      if (!leaving.signal.aborted) setProblem(error)
    })
    return () => leaving.abort()
  }, [])
  if (problem) return <p class="small of-wrong">What if: {problem.message}</p>
  if (!found) return <p class="small faint">Computing other limits …</p>
  const note = noteOf(found)
  if (found.fills.length === 0) return <p class="small faint">{note}</p>
  return (
    <>
      <Slider found={found} />
      {note !== undefined && <p class="small faint">{note}</p>}
    </>
  )
}

const reasons: Readonly<Record<NonNullable<Computed['unavailable']>, string>> = {
  auction: 'An auction has one price: there are no other limits to compare.',
  stop: 'It waits for its stop: no limit is compared yet.',
  provider: 'The prices come from a provider: other limits are not computed.',
  not_started: 'The market does not have the order yet.',
}

function noteOf({ unavailable, complete, exact, fills }: Computed): string | undefined {
  if (unavailable !== undefined) return reasons[unavailable]
  if (!complete) return 'The time was over before all limits were computed.'
  if (fills.length === 0) return 'The market had no quote.'
  return exact ? undefined : 'Without the delays and fill models of this world.'
}

function Slider({
  found: { fills, limit_price: own, side, qty },
}: {
  readonly found: Computed
}): JSX.Element {
  const ownAt = fills.findIndex(({ limit_price: limit }) => limit === own)
  const [at, setAt] = useState(Math.max(ownAt, 0))
  const fill = fills[at]!
  const text = fillText(fill, qty)
  return (
    <div class="what-if">
      <label>
        <span class="of-sim">
          What if the limit were <b class="n">{priceText(fill.limit_price)}</b>
          {at === ownAt && ' (its own)'}
        </span>
        <input
          type="range"
          min={0}
          max={fills.length - 1}
          step={1}
          value={at}
          aria-valuetext={`limit ${priceText(fill.limit_price)}: ${text}`}
          onInput={({ currentTarget }) => setAt(Number(currentTarget.value))}
        />
      </label>
      <p class="ends small faint n">
        <span>{priceText(fills[0]!.limit_price)}</span>
        <span>{side === 'buy' ? 'cheaper →' : 'dearer →'}</span>
        <span>{priceText(fills.at(-1)!.limit_price)}</span>
      </p>
      <p>
        <b>{text}</b>
      </p>
    </div>
  )
}

/** `Filled 45 at 205.38, 5 Jan 10:31:30` */
function fillText(fill: Computed['fills'][number], qty: string | undefined): string {
  const { outcome, filled_qty: filled, filled_avg_price: price, last_at: at } = fill
  if (outcome === 'unknown') return 'Not computed in time'
  if (outcome === 'not_filled' || price === undefined || at === undefined) return 'Not filled'
  const of = outcome === 'partially_filled' && qty !== undefined ? ` of ${quantityText(qty)}` : ''
  return `Filled ${quantityText(filled)}${of} at ${priceText(price)}, ${dayText(at)} ${secondText(at)}`
}
