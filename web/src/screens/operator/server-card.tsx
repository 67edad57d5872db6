import type { JSX } from 'preact'
import { durationText } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Shown } from '../../parts/shown.tsx'
import { bytesText, countText } from './metrics.ts'
import { type Server, server } from './readings.ts'

/** Health, readiness and the load of the process. */
export const ServerCard = (): JSX.Element => (
  <Card
    title="Server"
    beside={
      <a class="link right small" href="docs/guides/operations">
        Guide
      </a>
    }
  >
    <Shown of={server} what="the state of the server">
      {(state) => (
        <>
          <div class="body">
            <Readiness of={state} />
          </div>
          <Load of={state} />
        </>
      )}
    </Shown>
  </Card>
)

function Readiness({ of: { notReady, warning } }: { readonly of: Server }): JSX.Element {
  if (server.problem.value)
    return (
      <div class="note wrong" role="alert">
        <Icon name="warning" />
        <b>No response</b>
        <p>The numbers are those of the last response.</p>
      </div>
    )
  if (notReady !== undefined)
    return (
      <div class="note wrong" role="alert">
        <Icon name="warning" />
        <b>Not ready</b>
        <p>The process answers, but accepts no commands: {notReady}</p>
      </div>
    )
  if (warning !== undefined)
    return (
      <div class="note warned" role="status">
        <Icon name="warning" />
        <b>Ready, with a warning</b>
        <p>{warning}</p>
      </div>
    )
  return (
    <div class="note tint" role="status">
      <Icon name="check" />
      <b>Ready</b>
      <p>The process answers and main accepts commands.</p>
    </div>
  )
}

function Load({ of: { metrics } }: { readonly of: Server }): JSX.Element {
  const { values, responses } = metrics
  const value = (name: string) => values.get(name) ?? 0
  const refused = responses.get('4') ?? 0
  const failed = responses.get('5') ?? 0
  const stats = [
    ['Memory', bytesText(value('process_resident_memory_bytes'))],
    ['Event loop (p99)', durationText(value('quipu_event_loop_delay_p99_seconds') * 1000)],
    ['WebSockets', countText(value('quipu_streams'))],
    ['Responses', countText([...responses.values()].reduce((sum, count) => sum + count, 0))],
    ['Refused (4xx)', countText(refused)],
    ['Failed (5xx)', countText(failed)],
  ] as const
  return (
    <div class="stats">
      {stats.map(([name, text]) => (
        <div key={name}>
          <h3>{name}</h3>
          <span class={`n ${name.startsWith('Failed') && failed > 0 ? 'of-wrong' : ''}`}>{text}</span>
        </div>
      ))}
    </div>
  )
}
