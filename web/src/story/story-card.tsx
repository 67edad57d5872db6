import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { hrefOf } from '../router.ts'
import { type Explanation, storyLines } from './story-lines.ts'
import { explain, type Subject } from './story-state.ts'
import { WhatIf } from './what-if.tsx'
import './story.css'

type CardProps = { readonly subject: Subject; readonly anchor: HTMLElement; readonly id: string }

/** Three lines about an order or a request, and the slider over its limit. It is above everything else. */
export default function StoryCard({ subject, anchor, id }: CardProps): JSX.Element {
  const card = useRef<HTMLDivElement>(null)
  const [explanation, setExplanation] = useState<Explanation>()
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    const leaving = new AbortController()
    explain(subject, leaving.signal).then(setExplanation, (error: Error) => {
      if (!leaving.signal.aborted) setProblem(error)
    })
    return () => leaving.abort()
  }, [])
  useLayoutEffect(() => {
    card.current?.showPopover()
    put(card.current!, anchor)
  })
  return (
    <div
      ref={card}
      id={id}
      class="story-card"
      popover="manual"
      role="group"
      aria-label="What happened"
      onClick={(event) => event.stopPropagation()}
    >
      {problem ? (
        <p class="of-wrong">{problem.message}</p>
      ) : explanation ? (
        <Lines explanation={explanation} subject={subject} />
      ) : (
        <p class="faint">Reading what happened …</p>
      )}
    </div>
  )
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
