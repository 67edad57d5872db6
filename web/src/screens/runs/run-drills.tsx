import type { RunDrill } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Gain } from './run-words.tsx'
import type { Scrub } from './scrub.ts'

/** The drills of a run: verdict, evidence, what to change, and the requests that prove it. */
export function RunDrills({ scrub }: { readonly scrub: Scrub }): JSX.Element {
  const { drill: drills } = scrub.file.parts
  const countOf = (result: RunDrill['result']): string =>
    `${drills.filter((drill) => drill.result === result).length} ${result}`
  return (
    <Card
      title="Drills"
      class="run-drills"
      beside={
        <span class="count">
          {countOf('passed')}, {countOf('failed')}, {countOf('skipped')}
        </span>
      }
    >
      <div class="body">
        <ol class="cord">
          {drills.map((drill) => (
            <DrillItem key={drill.drill} drill={drill} scrub={scrub} />
          ))}
        </ol>
      </div>
    </Card>
  )
}

const knots = { passed: 'event', failed: 'refused', skipped: 'absent' } as const

function DrillItem({ drill, scrub }: { readonly drill: RunDrill; readonly scrub: Scrub }): JSX.Element {
  const { drill: name, about, result, reasons, evidence, advice } = drill
  const count = scrub.file.parts.request.filter((request) => request.drill === name).length
  const isShown = scrub.drill.value === name
  return (
    <li class={knots[result]}>
      <div class="when">
        <b>{name}</b>
        <span class={`right small ${result === 'failed' ? 'of-wrong' : 'soft'}`}>{result}</span>
      </div>
      <p class="small soft">{about}</p>
      {evidence !== '' && <p class="small">{evidence}</p>}
      <DrillFigures drill={drill} />
      {reasons.map((reason) => (
        <p key={reason} class={`small ${result === 'failed' ? 'of-wrong' : 'soft'}`}>
          {reason}
        </p>
      ))}
      {advice !== undefined && (
        <div class="note wrong">
          <Icon name="warning" />
          <b>What to change</b>
          <p>{advice}</p>
        </div>
      )}
      {count > 0 && (
        <button
          type="button"
          class="link small"
          aria-pressed={isShown}
          onClick={() => scrub.show(isShown ? undefined : name)}
        >
          {isShown
            ? 'Show the run without faults'
            : `See the ${count} ${count === 1 ? 'request' : 'requests'}`}
        </button>
      )}
    </li>
  )
}

/** P/L, requests and orders of the run with a drill. A skipped drill, and one of an older file, has none. */
function DrillFigures({ drill }: { readonly drill: RunDrill }): JSX.Element | null {
  const { profit_loss: profit, requests, orders } = drill
  if (profit === undefined || requests === undefined || orders === undefined) return null
  return (
    <dl class="drill-figures small">
      <div>
        <dt class="soft">P/L</dt>
        <dd>
          <Gain of={profit} />
        </dd>
      </div>
      <div>
        <dt class="soft">Requests</dt>
        <dd class="n">{requests}</dd>
      </div>
      <div>
        <dt class="soft">Orders</dt>
        <dd class="n">{orders}</dd>
      </div>
    </dl>
  )
}
