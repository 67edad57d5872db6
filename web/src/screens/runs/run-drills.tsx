import type { RunDrill } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Scrub } from './scrub.ts'

/** The drills of a run: verdict, evidence, what to change, and the requests that prove it. */
export function RunDrills({ scrub }: { readonly scrub: Scrub }): JSX.Element {
  const { drill: drills } = scrub.file.parts
  const passed = drills.filter(({ result }) => result === 'passed').length
  const measured = drills.filter(({ result }) => result !== 'skipped').length
  return (
    <Card
      title="Drills"
      class="run-drills"
      beside={
        <span class="count">
          {passed} of {measured} passed
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
