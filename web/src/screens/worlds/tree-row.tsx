import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { subtract } from '../../format/decimal.ts'
import { secondText } from '../../format/times.ts'
import { isStale } from '../../live/current.ts'
import { Gain, Money } from '../../parts/amounts.tsx'
import { setQuery } from '../../router.ts'
import { actingOperator } from '../../session/connections.ts'
import { chooseWorld } from '../../shell/switches.tsx'
import { type DrawnLane, topOf } from './tree-drawing.tsx'
import { tips } from './tree-tips.ts'

export type Edited = { readonly world: string; readonly field: 'title' | 'note' }

type RowProps = {
  readonly lane: DrawnLane
  readonly row: number
  /** The root of the tree. */
  readonly trunk: DrawnLane
  readonly edited: Edited | undefined
  readonly edit: (edited: Edited | undefined) => void
  readonly about: string
}

/** A world at the end of its line: its name, note and equity. A click shows it, Shift click compares with it. */
export function TreeRow({ lane, row, trunk, edited, edit, about }: RowProps): JSX.Element {
  const { world } = lane
  const name = world.world
  const style = { '--top': `${topOf(row)}px`, '--depth': lane.depth }
  if (edited?.world === name)
    return (
      <li class="tip-row" style={style}>
        <TextForm edited={edited} value={world[edited.field] ?? ''} close={() => edit(undefined)} />
      </li>
    )
  const isHere = lane.look === 'here'
  const choose = ({ shiftKey }: MouseEvent) =>
    shiftKey && !isHere ? setQuery({ with: name }) : chooseWorld(name)
  return (
    <li class={`tip-row ${lane.look}`} style={style}>
      <button
        type="button"
        aria-current={isHere ? 'true' : undefined}
        title="Click: show. Shift click: compare. Double click: edit the name or the note."
        onClick={choose}
        onDblClick={({ target }) =>
          edit({ world: name, field: (target as Element).closest('.tip-note') ? 'note' : 'title' })
        }
      >
        <span class="tip-name">
          <b class="cut-text">{world.title ?? name}</b>
          {isHere && <span class="chip sim">here</span>}
          {lane.look === 'against' && <span class="chip">against</span>}
          {lane.hidden > 0 && <span class="chip">+{lane.hidden}</span>}
        </span>
        <Equity lane={lane} trunk={trunk} />
        <span class="tip-note cut-text">{about}</span>
      </button>
    </li>
  )
}

const SAME_MS = 1000

/** The equity at the tip, and its difference to the trunk if both clocks are at one instant. */
function Equity({ lane, trunk }: Pick<RowProps, 'lane' | 'trunk'>): JSX.Element {
  const [tip, base] = [tips.value.get(lane.world.world), tips.value.get(trunk.world.world)]
  const isSame = Math.abs(lane.nowMs - trunk.nowMs) < SAME_MS
  return (
    <span class="tip-equity">
      <b>{tip ? <Money value={tip.equity} stale={isStale()} of={`tip.${lane.world.world}`} /> : '–'}</b>
      <span class="faint">
        {lane === trunk ? (
          'the trunk'
        ) : !isSame ? (
          `at ${secondText(lane.nowMs)}`
        ) : tip && base ? (
          <Gain
            value={subtract(tip.equity, base.equity)}
            stale={isStale()}
            of={`tip_gain.${lane.world.world}`}
          />
        ) : (
          ''
        )}
      </span>
    </span>
  )
}

const lengths = { title: 60, note: 500 } as const

/** Enter stores the text, Escape leaves it. */
function TextForm({
  edited: { world, field },
  value,
  close,
}: {
  readonly edited: Edited
  readonly value: string
  readonly close: () => void
}): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<Error>()
  useLayoutEffect(() => input.current?.select(), [])
  const store = async () => {
    const body = { [field]: input.current?.value.trim() ?? '' }
    try {
      await actingOperator().client.updateWorld({ params: { world }, body })
      close()
    } catch (error) {
      setProblem(error as Error)
    }
  }
  return (
    <form
      class="tip-form"
      onSubmit={(event) => {
        event.preventDefault()
        void store()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
      }}
    >
      <input
        ref={input}
        aria-label={`${field === 'title' ? 'Title' : 'Note'} of ${world}`}
        placeholder={field === 'title' ? world : 'Note'}
        maxLength={lengths[field]}
        defaultValue={value}
      />
      {problem && <span role="alert">{problem.message}</span>}
      <span class="faint">
        <kbd>↵</kbd> store <kbd>Esc</kbd> leave
      </span>
    </form>
  )
}
