import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { durationText, secondText } from '../../format/times.ts'
import { Gain } from '../../parts/amounts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { setQuery } from '../../router.ts'
import { type World, worlds } from '../../session/selection.ts'
import { isPhone } from '../../session/window.ts'
import { forkHere } from '../../shell/clock-actions.ts'
import {
  differenceProblem,
  otherOf,
  readDifference,
  useDifference,
  type WorldDifference,
} from './difference-data.ts'
import { DifferenceCards, DifferenceTable, type Names } from './difference-rows.tsx'
import './difference.css'

/** Two branches at one instant: a row for each order that differs, and what it changed. */
export function DifferenceCard({ world }: { readonly world: World }): JSX.Element {
  const others = (worlds.value ?? []).filter((one) => one.world !== world.world && one.accounts.length > 0)
  const other = otherOf(world, others)
  const retry = useDifference(world, other)
  const read = readDifference.value
  const found = read?.world === world.world && read.against === other?.world ? read.found : undefined
  const problem = differenceProblem.value
  const names = { left: nameOf(world), right: other ? nameOf(other) : '' }
  return (
    <section class="card difference-card" aria-label="Difference of two worlds">
      <header>
        <h2 class="hidden-text">Difference of two worlds</h2>
        <b class="cut-text">{names.left}</b>
        {others.length > 0 && <Chooser others={others} other={other} />}
        {found && <Instant found={found} names={names} />}
        {found && (
          <span class="right difference-total">
            <Gain value={found.equity_change} of="compared_gain" />
          </span>
        )}
      </header>
      {!other ? (
        <Unforked />
      ) : problem ? (
        <Failed what="the difference" error={problem} retry={retry} />
      ) : found ? (
        <Rows found={found} names={names} />
      ) : (
        <Loading rows={4} />
      )}
    </section>
  )
}

const nameOf = ({ title, world }: World): string => title ?? world

type ChooserProps = { readonly others: readonly World[]; readonly other: World | undefined }

const Chooser = ({ others, other }: ChooserProps): JSX.Element => (
  <label class="filters against">
    <span class="faint">against</span>
    <select
      aria-label="Compare with"
      value={other?.world ?? ''}
      onChange={({ currentTarget }) => setQuery({ with: currentTarget.value })}
    >
      <option value="">no other world</option>
      {others.map((one) => (
        <option key={one.world} value={one.world}>
          {nameOf(one)}
        </option>
      ))}
    </select>
  </label>
)

type FoundProps = { readonly found: WorldDifference; readonly names: Names }

/** Both are of one instant: the time of the world that is behind. */
function Instant({ found, names }: FoundProps): JSX.Element {
  const { time, tips_apart_ms: apart, common_past } = found
  const ahead = apart > 0 ? names.right : names.left
  return (
    <>
      <span class="chip sim">
        <Icon name="clock" /> both at {secondText(time)}
      </span>
      <span class={`soft ${apart === 0 && common_past !== null ? 'wide-only' : ''}`}>
        {apart !== 0 && `${ahead} is ${durationText(Math.abs(apart))} ahead. `}
        {common_past === null
          ? 'They have no common past: orders are matched by client order id.'
          : apart === 0 && 'One line per order that differs, and what it changed.'}
      </span>
    </>
  )
}

const Unforked = (): JSX.Element => (
  <Empty
    icon="fork"
    title="Fork this world, change one thing, play both"
    actions={
      <button data-changes type="button" class="button sim" onClick={() => void forkHere()}>
        <Icon name="fork" /> Fork from here
      </button>
    }
  >
    The fork has the same past and its own future.
  </Empty>
)

/** Rows that are drawn at first. */
const ROWS_SHOWN = 100

function Rows({ found, names }: FoundProps): JSX.Element {
  const [isWhole, setWhole] = useState(false)
  const rows = isWhole ? found.rows : found.rows.slice(0, ROWS_SHOWN)
  const shown = { found, rows, names }
  return (
    <>
      {found.rows.length === 0 && (
        <p class="soft none-differ">Both worlds have the same orders with the same results.</p>
      )}
      {isPhone.value ? <DifferenceCards {...shown} /> : <DifferenceTable {...shown} />}
      {rows.length < found.rows.length && (
        <p class="difference-more">
          <button type="button" class="button small" onClick={() => setWhole(true)}>
            Show all {found.rows.length} orders
          </button>
        </p>
      )}
    </>
  )
}
