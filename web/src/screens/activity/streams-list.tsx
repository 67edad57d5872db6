import type { OpenSocket } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { problemText } from '../../format/problem-text.ts'
import { utcText } from '../../format/times.ts'
import { Icon } from '../../parts/icon.tsx'
import { ask } from '../../parts/question.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { actingOperator } from '../../session/connections.ts'
import { worldName } from '../../session/selection.ts'
import { apiUrl } from '../../session/session.ts'
import { followSockets, sockets, socketsProblem } from './activity-logs.ts'
import { shortKey } from './request-words.ts'

/** The open WebSocket streams of the world, live. */
export function StreamsList(): JSX.Element {
  useEffect(() => followSockets(), [])
  const open = sockets.value
  if (open === undefined && socketsProblem.value)
    return <Failed what="open streams" error={socketsProblem.value} />
  if (open === undefined) return <Loading rows={3} />
  if (open.size === 0)
    return (
      <Empty icon="plug" title="No open stream. Try:">
        <code>npx wscat -c {apiUrl.value.replace(/^http/, 'ws')}/stream</code>
      </Empty>
    )
  return (
    <ul class="streams">
      {[...open.values()].map((socket) => (
        <Stream key={socket.id} socket={socket} />
      ))}
    </ul>
  )
}

function Stream({ socket }: { readonly socket: OpenSocket }): JSX.Element {
  const { endpoint, key_id: key, address, opened_at: opened } = socket
  return (
    <li>
      <div class="stream-head">
        <b class="mono">{endpoint}</b>
        <span class="chip">{key === undefined ? 'not authenticated' : shortKey(key)}</span>
        <button
          data-changes
          type="button"
          class="button small right"
          onClick={() => void closeStream(socket)}
        >
          <Icon name="close" /> Close
        </button>
      </div>
      <dl class="pairs">
        <dt>Subscribed</dt>
        <dd title={JSON.stringify(socket.subscriptions)}>{subscribed(socket)}</dd>
        <dt>Sent</dt>
        <dd>{socket.sent_messages.toLocaleString('en-US')} frames</dd>
        <dt>Waiting</dt>
        <dd class={socket.waiting_bytes > 0 ? 'of-warn' : ''}>
          {socket.waiting_bytes.toLocaleString('en-US')} bytes
          {socket.lag_ms > 0 && `, ${Math.round(socket.lag_ms)} ms old`}
        </dd>
        <dt>Opened, machine</dt>
        <dd title={opened}>{utcText(opened).slice(0, 8)} UTC</dd>
        <dt>From</dt>
        <dd>{address}</dd>
      </dl>
    </li>
  )
}

/** `trade_updates`, or `bars 3, statuses 1`. */
const subscribed = ({ subscriptions }: OpenSocket): string =>
  Object.entries(subscriptions)
    .filter(([, symbols]) => symbols.length > 0)
    .map(([channel, symbols]) => (channel === 'trade_updates' ? channel : `${channel} ${countOf(symbols)}`))
    .join(', ') || 'nothing'

const countOf = (symbols: readonly string[]): string => (symbols.includes('*') ? 'all' : `${symbols.length}`)

async function closeStream({ id, endpoint, key_id: key }: OpenSocket): Promise<void> {
  const name = `${endpoint}${key === undefined ? '' : ` of ${shortKey(key)}`}`
  const isSure = await ask({
    title: `Close the stream ${name}?`,
    effect: 'Its client is disconnected, as at a restart of the server. It may connect again.',
    keep: 'Keep it open',
    confirm: 'Close the stream',
  })
  if (!isSure) return
  const params = { world: worldName.peek(), socket_id: id }
  await actingOperator()
    .client.closeSocket({ params })
    .catch((error: Error) => toast(problemText(error)))
}
