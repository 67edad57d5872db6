import { type Client, createClient, type ServerRun } from '@quipu/sdk'
import type { CommandContext } from '../command.ts'
import { closableOptions } from '../find-server.ts'
import { targetOf } from '../target.ts'
import type { ListedRun, RunSource } from './listed-run.ts'

const PAGE = 1000

/** The runs of a server. */
export async function serverRuns(
  context: Pick<CommandContext, 'config' | 'sources' | 'env'>,
): Promise<RunSource> {
  const { options, close } = closableOptions(targetOf(context))
  const client = createClient(options)
  const params = ({ id }: ListedRun) => ({ params: { run: id } })
  return {
    list: () => allRuns(client),
    bytes: (run) => client.getRunFile(params(run)),
    add: (bytes) => client.storeRun({ body: bytes }),
    pin: (run, pinned) => client.pinRun({ ...params(run), body: { pinned } }),
    delete: (run) => client.deleteRun(params(run)),
    close,
  }
}

async function allRuns(client: Client): Promise<readonly ServerRun[]> {
  const runs: ServerRun[] = []
  let cursor: string | null = null
  do {
    const query: { limit: number; cursor?: string } = { limit: PAGE, ...(cursor !== null && { cursor }) }
    const page: Awaited<ReturnType<Client['listRuns']>> = await client.listRuns({ query })
    runs.push(...page.runs)
    cursor = page.next_cursor
  } while (cursor !== null)
  return runs
}
