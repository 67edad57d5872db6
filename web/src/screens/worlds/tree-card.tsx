import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { moneyText, UNKNOWN } from '../../format/amounts.ts'
import { textOf } from '../../format/decimal.ts'
import { secondText } from '../../format/times.ts'
import { addKeys } from '../../keyboard.ts'
import { Icon } from '../../parts/icon.tsx'
import { place } from '../../router.ts'
import { type World, worlds } from '../../session/selection.ts'
import { useWidth } from '../../shell/use-width.ts'
import { type DrawnLane, heightOf, TreeDrawing } from './tree-drawing.tsx'
import { LANES_MAX, lanesOf, rootOf, timesOf } from './tree-lanes.ts'
import { type Edited, TreeRow } from './tree-row.tsx'
import { nowIn, tips, tipsProblem, useTips } from './tree-tips.ts'

/** The tree of the world on screen: branches over time, and the equity at the end of each. */
export function TreeCard({
  world,
  about,
}: {
  readonly world: World
  readonly about: (world: World) => string
}) {
  const [edited, edit] = useState<Edited>()
  const [isWhole, setWhole] = useState(false)
  const area = useRef<HTMLDivElement>(null)
  const width = useWidth(area)
  const all = worlds.value ?? []
  const root = rootOf(all, world)
  const lanes = drawn(lanesOf(all, root, isWhole ? Number.POSITIVE_INFINITY : LANES_MAX), world)
  const hidden = lanes[0]?.hidden ?? 0
  useTips(lanes.map((lane) => lane.world))
  useLayoutEffect(
    () =>
      addKeys('Worlds', {
        r: () => edit({ world: world.world, field: 'title' }),
        e: () => edit({ world: world.world, field: 'note' }),
      }),
    [world.world],
  )
  const [trunk] = lanes
  if (!trunk) return null
  const span = timesOf(
    lanes.map((lane) => lane.world),
    lanes.map((lane) => lane.nowMs),
  )
  return (
    <section class="card tree-card" aria-label={`Branches of ${root.world}`}>
      <header>
        <h2>Branches</h2>
        <span class="chip outlined">{countText(lanes.length - 1 + hidden)}</span>
        {(hidden > 0 || isWhole) && (
          <button type="button" class="button small bare" onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show ${hidden} more`}
          </button>
        )}
        <span class="tree-legend right faint">
          <i class="fork" /> fork <i class="fill" /> own fills{' '}
          <span class="wide-only">Equity of the first account at each tip</span>
        </span>
      </header>
      {tipsProblem.value && (
        <p class="banner wrong" role="alert">
          <Icon name="warning" /> The equity of the branches was not read: {tipsProblem.value.message}
        </p>
      )}
      <div class="tree" style={{ '--height': `${heightOf(lanes.length)}px` }}>
        <div class="tree-drawing" ref={area}>
          <TreeDrawing lanes={lanes} span={span} nowMs={nowIn(world)} width={width} />
        </div>
        <ul>
          {lanes.map((lane, row) => (
            <TreeRow
              key={lane.world.world}
              {...{ lane, row, trunk, edited, edit }}
              about={about(lane.world)}
            />
          ))}
        </ul>
      </div>
      <TreeTable lanes={lanes} />
    </section>
  )
}

const countText = (branches: number): string => `${branches} ${branches === 1 ? 'branch' : 'branches'}`

/** The lines with what is known of each. The chosen other world is in the address. */
function drawn(lanes: ReturnType<typeof lanesOf>, world: World): readonly DrawnLane[] {
  const against = place.value.query.get('with')
  return lanes.map((lane) => {
    const name = lane.world.world
    const look =
      name === world.world
        ? 'here'
        : name === against
          ? 'against'
          : lane.world.expires_at === undefined
            ? 'plain'
            : 'temporary'
    return { ...lane, look, nowMs: nowIn(lane.world), fills: tips.value.get(name)?.fills ?? [] }
  })
}

/** The same as a table, for screen readers. */
function TreeTable({ lanes }: { readonly lanes: readonly DrawnLane[] }): JSX.Element {
  return (
    <div class="hidden-text tree-table">
      <table>
        <caption>Branches</caption>
        <thead>
          <tr>
            <th>World</th>
            <th>Forked from</th>
            <th>Forked at</th>
            <th>Time</th>
            <th>Own fills</th>
            <th>Equity</th>
          </tr>
        </thead>
        <tbody>
          {lanes.map(({ world, nowMs }) => {
            const tip = tips.value.get(world.world)
            return (
              <tr key={world.world}>
                <td>{world.world}</td>
                <td>{world.parent ?? 'none'}</td>
                <td>{world.forked_at ? secondText(world.forked_at) : 'not a fork'}</td>
                <td>{secondText(nowMs)}</td>
                <td>{tip ? tip.fills.length : UNKNOWN}</td>
                <td data-number={tip && `tip.${world.world}`}>
                  {tip ? moneyText(textOf(tip.equity)) : UNKNOWN}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
