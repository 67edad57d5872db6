import { stderrLog } from '@quipu/broker/log/log.ts'
import { type Client, type ClientOptions, createClient } from '@quipu/sdk'
import { forThisComputer } from '@quipu/server/config/config.ts'
import type { UpstreamTls } from '../../run/gateway/upstream.ts'
import { type CommandContext, CommandFailed } from '../command.ts'
import { closableOptions, plainFetch, trustOf } from '../find-server.ts'
import { targetOf } from '../target.ts'

/** A broker and its operator. */
export type OperatedBroker = Pick<ClientOptions, 'url' | 'fetch'> & {
  readonly operator: Client
  /** How to trust the certificate of a broker on https. */
  readonly tls?: UpstreamTls | undefined
  close(): Promise<void>
}

/** A new broker in memory, or the running one that --url or --data selects. */
export async function operatedBroker(context: CommandContext): Promise<OperatedBroker> {
  const { config, sources, env } = context
  const isDefault = sources.data.source === 'default' && sources.url.source === 'default'
  if (isDefault || config.data.kind === 'memory') return memoryBroker(context)
  const target = targetOf({ config, sources, env })
  const { options, close } = closableOptions(target)
  const { url, fetch } = options
  const operator = createClient(options)
  return { url, ...(fetch && { fetch }), tls: await trustOf(target), operator, close }
}

/** A broker of this process that only this machine reaches. */
async function memoryBroker({ config, sources }: CommandContext): Promise<OperatedBroker> {
  // A world may be deleted while a stream of it is still open.
  const log = stderrLog(sources.log.source === 'default' ? 'error' : config.log)
  const { startQuipu } = await import('@quipu/server/start/start.ts')
  const alone = {
    ...forThisComputer(config, sources),
    data: { kind: 'memory' },
    port: 0,
    readers: 0,
  } as const
  const { url, credentials, close } = await startQuipu(alone, log)
  const { brokerKey, brokerSecret } = credentials
  if (!brokerKey || !brokerSecret) throw new CommandFailed('bug: a new broker has no operator key')
  return {
    url,
    fetch: plainFetch,
    operator: createClient({ url, fetch: plainFetch, keyId: brokerKey, secretKey: brokerSecret }),
    async close() {
      await close()
      log.flush()
    },
  }
}
