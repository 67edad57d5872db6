import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type RunFile, runFileLines } from '@quipu/sdk/runs'

export const RUN_FILE_ENDING = '.quipu-run'

/** `20260105-150000-bot.js-seed-41-9c571b2f.quipu-run`: in the order of their starts, and unique. */
export function runFileName({ run: { id, started_at: at, program, seed } }: RunFile): string {
  const time = at.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  const words = `${program}-seed-${seed}`.replaceAll(/[^\w.-]+/g, '-').slice(0, 80)
  return `${time}-${words}-${id.slice(0, 8)}${RUN_FILE_ENDING}`
}

/** Writes the file of a run into a folder, and returns its path. A reader never finds half a file. */
export async function writeRunFile(folder: string, file: RunFile): Promise<string> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, runFileName(file))
  await writeRunTo(path, file)
  return path
}

/** Writes the file of a run to this path. */
export async function writeRunTo(path: string, file: RunFile): Promise<void> {
  const part = `${path}.part`
  try {
    const lines = Readable.from(withEnds(runFileLines(file)))
    await pipeline(lines, createGzip(), createWriteStream(part, { mode: 0o600 }))
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** The bytes of the file of a run. */
export async function runFileBytes(file: RunFile): Promise<Uint8Array> {
  return buffer(Readable.from(withEnds(runFileLines(file))).pipe(createGzip()))
}

function* withEnds(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`
}
