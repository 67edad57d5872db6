import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isFillActivity } from '../format/activity-text.ts'
import { current } from '../live/current.ts'
import { type Figures, figureLines, lastOfCash, positionLines } from './amount-lines.ts'
import type { StoryLines } from './story-lines.ts'
import { type AmountSubject, lastOrderOf, type Subject } from './story-state.ts'

type AmountCardProps = {
  readonly subject: AmountSubject
  /** The story of the order that changed the amount last. */
  readonly story: (subject: Subject) => JSX.Element
}

/** What an amount of the account is made of, and the order that changed it last. */
export function AmountCard({ subject, story }: AmountCardProps): JSX.Element {
  const state = figuresNow()
  const order = useLastOrder(subject, state)
  if (state === undefined) return <p class="faint">Reading the account …</p>
  const [what, made, why] = linesOf(subject, state)
  return (
    <>
      <p>
        <b class="n">{what}</b>
      </p>
      {made !== '' && <p class="n">{made}</p>}
      {why !== '' && <p class="soft n">{why}</p>}
      {order !== undefined && (
        <div class="last-order">
          <p class="faint small">The last order that changed it</p>
          {story({ order })}
        </div>
      )}
    </>
  )
}

function linesOf(subject: AmountSubject, state: Figures): StoryLines {
  if ('figure' in subject) return figureLines(subject.figure, state)
  const position = state.positions.find(({ symbol }) => symbol === subject.asset)
  return position ? positionLines(position) : [subject.asset, 'It is no longer held.', '']
}

/** The account as the store has it, all of one instant. */
function figuresNow(): Figures | undefined {
  const store = current.value?.store
  const [account, positions] = [store?.account.value, store?.positions.value]
  if (!account || !positions) return undefined
  const activities = store?.activities.value ?? []
  return { account, positions, activities, gainToday: store?.gainToday.value }
}

/** The order of the last fill: known for cash, and read for a position. */
function useLastOrder(subject: AmountSubject, state: Figures | undefined): string | undefined {
  const [found, setFound] = useState<string>()
  useEffect(() => {
    if (!('asset' in subject)) return undefined
    const leaving = new AbortController()
    lastOrderOf(subject.asset, leaving.signal).then(setFound, () => undefined)
    return () => leaving.abort()
  }, [])
  if ('asset' in subject) return found
  const last = subject.figure === 'cash' ? lastOfCash(state?.activities ?? []) : undefined
  return last && isFillActivity(last) ? last.order_id : undefined
}
