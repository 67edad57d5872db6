import { useSignal } from '@preact/signals'
import type { RunLogLine } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { longDayText, milliText } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Scrub } from './scrub.ts'

const kinds = { both: 'Both', request: 'Requests', output: 'Output' } as const
type Shown = keyof typeof kinds

/** Lines before and after the position that are in the page. */
const AROUND = 150

/** The requests and the output of the program, together. The line of the position is marked. */
export function RunLog({ scrub }: { readonly scrub: Scrub }): JSX.Element {
  const kind = useSignal<Shown>('both')
  const list = useRef<HTMLOListElement>(null)
  const { log, index, drill, atMs } = scrub
  const at = index.value
  const lines = log.value
    .map((line, number) => ({ line, number }))
    .slice(Math.max(0, at - AROUND), at + AROUND)
    .filter(({ line }) => kind.value === 'both' || line.kind === kind.value)
  useEffect(() => {
    const marked = list.current?.querySelector<HTMLElement>('[aria-current]')
    const scroller = list.current?.parentElement
    if (marked && scroller) scroller.scrollTop = marked.offsetTop - scroller.clientHeight / 2
  }, [at, kind.value, drill.value])
  return (
    <Card
      title={drill.value === undefined ? 'Requests and output' : `Requests of ${drill.value}`}
      class="run-log"
      beside={
        <>
          <span class="chip sim">
            {longDayText(atMs.value)} {milliText(atMs.value)}
          </span>
          <fieldset class="choice right" aria-label="Lines">
            {(Object.keys(kinds) as Shown[]).map((name) => (
              <button
                key={name}
                type="button"
                aria-pressed={kind.value === name}
                onClick={() => {
                  kind.value = name
                }}
              >
                {kinds[name]}
              </button>
            ))}
          </fieldset>
        </>
      }
    >
      {lines.length === 0 ? (
        <Empty icon="list" title="Nothing was sent or printed" />
      ) : (
        <section class="scroll log-lines" tabIndex={0} aria-label="Requests and output by time">
          <ol ref={list}>
            {lines.map(({ line, number }) => (
              <LogLine
                key={number}
                line={line}
                isCurrent={number === at}
                choose={() => {
                  index.value = number
                }}
              />
            ))}
          </ol>
        </section>
      )}
    </Card>
  )
}

type LogLineProps = { readonly line: RunLogLine; readonly isCurrent: boolean; readonly choose: () => void }

const LogLine = ({ line, isCurrent, choose }: LogLineProps): JSX.Element => (
  <li aria-current={isCurrent ? 'true' : undefined} onClick={choose}>
    <span class="faint">{milliText(line.at)}</span>
    <span class={line.kind === 'output' ? 'soft' : ''}>{textOf(line)}</span>
    <span class={`right ${stateClass(line)}`}>{stateText(line)}</span>
  </li>
)

function textOf(line: RunLogLine): string {
  if (line.kind === 'output') return line.text
  const order = line.method === 'POST' && /^\/v2\/orders/.test(line.path) ? orderWords(line.body) : undefined
  return order ?? `${line.method} ${line.path}`
}

function orderWords(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { side, qty, notional, symbol, type, limit_price: limit } = body as Record<string, string | undefined>
  if (symbol === undefined) return undefined
  const size = qty ?? (notional === undefined ? '' : `$${notional}`)
  return [side === 'sell' ? 'Sell' : 'Buy', size, symbol, type ?? '', limit ?? ''].filter(Boolean).join(' ')
}

function stateText(line: RunLogLine): string {
  if (line.kind === 'output') return line.stream === 'stderr' ? 'stderr' : ''
  return `${line.status ?? 'no response'}${line.fault === undefined ? '' : ' fault'}`
}

function stateClass(line: RunLogLine): string {
  if (line.kind === 'output') return 'faint'
  if (line.fault !== undefined) return 'of-sim'
  return line.status === undefined || line.status >= 400 ? 'of-wrong' : 'faint'
}
