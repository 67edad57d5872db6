import { relative } from 'node:path'
import { version } from '@quipu/broker/data-folder/version.ts'
import { errorMessage } from '@quipu/core/values'
import type { Client } from '@quipu/sdk'
import type { RunFile } from '@quipu/sdk/runs'
import type { KeptFacts, KeptRun, KeptTarget } from '../../run/file/kept-run.ts'
import type { RunTarget } from '../../run/session.ts'
import type { CommandContext } from '../command.ts'

type Named = Omit<KeptFacts, 'version' | 'env'>

/** Begins to keep a run; undefined if `--runs off` is set and it has no page, or if the broker refuses what a run file needs. */
export async function keepRun(
  { config, env, note }: CommandContext,
  target: KeptTarget,
  facts: Named,
  hasPage = false,
): Promise<KeptRun | undefined> {
  if (config.runs.kind === 'off' && !hasPage) return undefined
  const { KeptRun } = await import('../../run/file/kept-run.ts')
  return KeptRun.begin(target, { ...facts, version, env }).catch((error: unknown) => {
    note(`quipu: no run file: ${errorMessage(error)}`)
    return undefined
  })
}

/** The world of a run, and all its keys. */
export const keptTarget = ({
  operator,
  world,
  accountId,
  endpoint,
  keys,
}: Omit<RunTarget, 'cleanUp'>): KeptTarget => ({
  operator,
  world,
  accountId,
  endpoint,
  account: keys.account,
  otherSecrets: keys.partner ? [keys.partner.keyId, keys.partner.secretKey] : [],
})

/** Where finished runs go: the folder of run files, and the server that --url or --data selects. */
export class RunShelf {
  readonly #context: CommandContext
  readonly #operator: Client | undefined
  /** Runs that the server lists as running. */
  readonly #announced = new Set<string>()

  constructor(context: CommandContext, operator: Client) {
    this.#context = context
    const { config, sources } = context
    const isKept = sources.data.source !== 'default' && config.data.kind === 'folder'
    const isStored = config.runs.kind !== 'off' && (sources.url.source !== 'default' || isKept)
    this.#operator = isStored ? operator : undefined
  }

  /** Lets the server list a run that has begun. */
  async announce(kept: KeptRun | undefined): Promise<void> {
    if (!kept || !this.#operator) return
    try {
      await this.#store(this.#operator, kept.begun())
      this.#announced.add(kept.id)
    } catch {
      // The run is stored at its end, or the reason is shown then.
    }
  }

  /** Stores a run. A failure is a note: the result of the program stays. */
  async save(kept: KeptRun | undefined, file: RunFile | undefined): Promise<void> {
    if (file) await this.add(file)
    else if (kept && this.#announced.has(kept.id))
      await this.#operator?.deleteRun({ params: { run: kept.id } }).catch(() => undefined)
  }

  async add(file: RunFile): Promise<void> {
    const { config, args, note } = this.#context
    if (config.runs.kind === 'off') return
    const say = args.has('quiet') ? () => undefined : note
    try {
      const { writeRunFile } = await import('../../run/file/write.ts')
      say(`run file ${relative('.', await writeRunFile(config.runs.path, file))}`)
    } catch (error) {
      note(`quipu: the run file was not written: ${errorMessage(error)}`)
    }
    try {
      const stored = this.#operator && (await this.#store(this.#operator, file))
      if (stored) say(`run ${stored.number} on the server`)
    } catch (error) {
      note(`quipu: the run was not stored on the server: ${errorMessage(error)}`)
    }
  }

  async #store(operator: Client, file: RunFile) {
    const { runFileBytes } = await import('../../run/file/write.ts')
    return operator.storeRun({ body: await runFileBytes(file) })
  }
}
