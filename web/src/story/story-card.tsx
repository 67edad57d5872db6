import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { hrefOf } from '../router.ts'
import { AmountCard } from './amount-card.tsx'
import { type Explanation, storyLines } from './story-lines.ts'
import { type AmountSubject, explain, type Subject } from './story-state.ts'
import { WhatIf } from './what-if.tsx'
import './story.css'

type CardProps = {
  /** One or more, shown one at a time. */
  readonly subjects: readonly (Subject | AmountSubject)[]
  readonly anchor: HTMLElement
  readonly id: string
  /** It takes the focus, because a key has opened it. */
  readonly takesFocus: boolean
}

/** Three lines about an order, a request or an amount, and the slider over its limit. It is above everything else. */
export default function StoryCard({ subjects, anchor, id, takesFocus }: CardProps): JSX.Element {
  const card = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(0)
  const subject = subjects[at] ?? subjects[0]!
  useLayoutEffect(() => {
    card.current?.showPopover()
    if (takesFocus) card.current?.focus({ preventScroll: true })
  }, [takesFocus])
  useLayoutEffect(() => put(card.current!, anchor))
  useEffect(() => {
    // The parts of the card come one after the other, and each takes more space.
    const watcher = new ResizeObserver(() => card.current && put(card.current, anchor))
    watcher.observe(card.current!)
    return () => watcher.disconnect()
  }, [])
  return (
    <div
      ref={card}
      id={id}
      class="story-card"
      popover="manual"
      role="group"
      aria-label="What happened"
      tabIndex={-1}
      onClick={(event) => event.stopPropagation()}
      onDblClick={(event) => event.stopPropagation()}
    >
      {'order' in subject || 'request' in subject ? (
        <OfOrder key={JSON.stringify(subject)} subject={subject} />
      ) : (
        <AmountCard subject={subject} story={(one) => <OfOrder key={JSON.stringify(one)} subject={one} />} />
      )}
      {subjects.length > 1 && (
        <p class="story-steps small faint">
          {at + 1} of {subjects.length}
          <button type="button" class="button small" onClick={() => setAt((at + 1) % subjects.length)}>
            Next
          </button>
        </p>
      )}
    </div>
  )
}

function OfOrder({ subject }: { readonly subject: Subject }): JSX.Element {
  const [explanation, setExplanation] = useState<Explanation>()
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    const leaving = new AbortController()
    explain(subject, leaving.signal).then(setExplanation, (error: Error) => {
      if (!leaving.signal.aborted) setProblem(error)
    })
    return () => leaving.abort()
  }, [])
  if (problem) return <p class="of-wrong">{problem.message}</p>
  if (!explanation) return <p class="faint">Reading what happened …</p>
  return <Lines explanation={explanation} subject={subject} />
}

function Lines({
  explanation,
  subject,
}: {
  readonly explanation: Explanation
  readonly subject: Subject
}): JSX.Element {
  const [asked, ended, why] = storyLines(explanation)
  const isOrder = explanation.steps.some(({ code }) => code === 'placed' || code === 'asked')
  const { order_id: order, outcome } = explanation
  return (
    <>
      <p>
        <b>{asked}</b>
      </p>
      <p class={outcome === 'refused' ? 'of-wrong' : ''}>{ended}</p>
      {why !== '' && <p class="soft">{why}</p>}
      {isOrder && <WhatIf subject={order === undefined ? subject : { order }} />}
      {order !== undefined && (
        <a class="link small" href={hrefOf('orders', order)}>
          The whole story
        </a>
      )}
    </>
  )
}

const GAP_PX = 6
const EDGE_PX = 8

/** Below the cell, or above it if there is no space below; always inside the window. */
function put(card: HTMLElement, anchor: HTMLElement): void {
  const cell = anchor.getBoundingClientRect()
  const { width, height } = card.getBoundingClientRect()
  const isBelow = cell.bottom + GAP_PX + height < innerHeight - EDGE_PX
  const top = isBelow ? cell.bottom + GAP_PX : Math.max(EDGE_PX, cell.top - GAP_PX - height)
  const left = Math.max(EDGE_PX, Math.min(cell.left, innerWidth - width - EDGE_PX))
  card.style.top = `${top}px`
  card.style.left = `${left}px`
}
