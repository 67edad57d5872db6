import { serverUrl, session } from '../session/session.ts'
import { untilHidden, visible } from '../session/visible.ts'
import { repeat } from './repeat.ts'

type SharedStream<Message> = {
  /** Tabs of the same user with the same name share a stream. */
  readonly name: string
  readonly open: (options: ReadOptions) => AsyncIterable<Message>
  readonly take: (message: Message) => void
  /** Called when the stream begins: earlier messages may be missing. */
  readonly opened: () => void
  /** Called when a connection broke or was refused. */
  readonly broken?: () => void
}

type ReadOptions = {
  readonly signal: AbortSignal
  readonly onOpen: () => void
  readonly onBreak: () => void
}

type Sent<Message> = 'joined' | 'opened' | 'broken' | { readonly message: Message }

/**
 * Follows a stream together with the other visible tabs of this browser. The tab with the lock reads, and sends each
 * message to the others. When a tab joins, it opens the stream again, so that all get the whole state. When it is closed or
 * hidden, the lock passes to another tab.
 */
export function followShared<Message>(signal: AbortSignal, stream: SharedStream<Message>): Promise<void> {
  const name = `quipu ${serverUrl} ${session.peek()?.user_id} ${stream.name}`
  return repeat(signal, async () => {
    await visible(signal)
    const ending = new AbortController()
    const closing = untilHidden(AbortSignal.any([signal, ending.signal]))
    // Pages over plain HTTP from another machine have no locks, so each tab reads.
    if (!isSecureContext) return read(stream, closing, (sent) => take(stream, sent))
    const channel = new BroadcastChannel(name)
    let reading: AbortController | undefined
    channel.onmessage = ({ data: sent }: MessageEvent<Sent<Message>>) => {
      if (sent === 'joined') reading?.abort()
      else take(stream, sent)
    }
    channel.postMessage('joined' satisfies Sent<Message>)
    const readAndSend = async () => {
      do {
        reading = new AbortController()
        await read(stream, AbortSignal.any([closing, reading.signal]), (sent) => {
          take(stream, sent)
          channel.postMessage(sent)
        }).catch((error) => {
          if (!reading?.signal.aborted) throw error
        })
      } while (!closing.aborted)
    }
    await navigator.locks.request(name, { signal: closing }, readAndSend).finally(() => {
      channel.close()
      ending.abort()
    })
  })
}

async function read<Message>(
  { open }: SharedStream<Message>,
  signal: AbortSignal,
  pass: (sent: Exclude<Sent<Message>, 'joined'>) => void,
): Promise<void> {
  const options = { signal, onOpen: () => pass('opened'), onBreak: () => pass('broken') }
  for await (const message of open(options)) pass({ message })
}

function take<Message>(stream: SharedStream<Message>, sent: Exclude<Sent<Message>, 'joined'>): void {
  if (sent === 'opened') stream.opened()
  else if (sent === 'broken') stream.broken?.()
  else stream.take(sent.message)
}
