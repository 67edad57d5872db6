import { createReadStream, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { readRunRecord } from '@quipu/sdk/runs'
import { RUN_FILE_ENDING, runFileName } from '../../run/file/write.ts'
import { CommandFailed } from '../command.ts'
import { type ListedRun, type RunSource, readBytes } from './listed-run.ts'

/** The runs of a folder of run files. */
export function folderRuns(folder: string): RunSource {
  const list = async (): Promise<readonly ListedRun[]> => {
    const names = existsSync(folder) ? await readdir(folder) : []
    const files = names.filter((name) => name.endsWith(RUN_FILE_ENDING)).map((name) => join(folder, name))
    const runs = await Promise.all(files.map(recordIn))
    return runs
      .filter((run) => run !== undefined)
      .sort((a, b) => Date.parse(b.started_at) - Date.parse(a.started_at))
  }
  return {
    list,
    bytes: (run) => readFile(fileOf(run)),
    async add(bytes) {
      const file = await readBytes(bytes, 'the file')
      const known = (await list()).find(({ id }) => id === file.run.id)
      if (known) return known
      await mkdir(folder, { recursive: true })
      const path = join(folder, runFileName(file))
      await writeFile(`${path}.part`, bytes, { mode: 0o600 })
      await rename(`${path}.part`, path)
      return { ...file.run, file: path }
    },
    pin: () => {
      throw new CommandFailed('only a server deletes old runs: pin with --url or --data')
    },
    delete: (run) => rm(fileOf(run)),
    close: () => Promise.resolve(),
  }
}

/** The record of a file; undefined if it is no run file. */
async function recordIn(file: string): Promise<ListedRun | undefined> {
  const stream = createReadStream(file)
  try {
    return { ...(await readRunRecord(Readable.toWeb(stream) as ReadableStream<Uint8Array>)), file }
  } catch {
    return undefined
  } finally {
    stream.destroy()
  }
}

function fileOf({ file }: ListedRun): string {
  if (file === undefined) throw new Error('bug: a run of a folder has no file')
  return file
}
