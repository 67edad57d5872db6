import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '@quipu/core/values'
import { mainPaths } from '../data-folder/folder-layout.ts'
import type { PostgresConnection } from '../postgres/connection.ts'
import { folderRunFiles, STORED_RUN_ENDING } from '../registry/runs/folder-run-files.ts'
import { insertRunFile, runFilePart } from '../registry/runs/postgres-run-files.ts'

/** The files of runs in a backup, and a hash over their names and contents. */
export type RunFilesHead = { readonly files: number; readonly bytes: number; readonly hash: string }

type RunFile = { readonly name: string; readonly bytes: Uint8Array }

/** Writes files into a data folder or backup. Undefined if there are none. */
export async function writeRunFiles(
  folder: string,
  files: AsyncIterable<RunFile>,
): Promise<RunFilesHead | undefined> {
  const target = folderRunFiles(mainPaths(folder).runs)
  return headOf(files, ({ name, bytes }) => target.write(name, bytes))
}

/** Adds the files of a backup to a database, in the transaction of the connection. */
export async function insertRunFiles(connection: PostgresConnection, from: string): Promise<void> {
  for await (const { name, bytes } of runFilesIn(from)) await insertRunFile(connection, name, bytes)
}

/** The files in a data folder or backup, by name. A server may delete some meanwhile. */
export async function* runFilesIn(folder: string): AsyncGenerator<RunFile> {
  const { runs } = mainPaths(folder)
  const names = (await readdir(runs).catch(ifMissing)) ?? []
  for (const file of names.filter((name) => name.endsWith(STORED_RUN_ENDING)).sort()) {
    const bytes = await readFile(join(runs, file)).catch(ifMissing)
    if (bytes) yield { name: file.slice(0, -STORED_RUN_ENDING.length), bytes }
  }
}

/** The files in the snapshot of a database, by name. */
export async function* runFilesOfPostgres(connection: PostgresConnection): AsyncGenerator<RunFile> {
  const { rows } = await connection.query(
    'SELECT file, count(*) AS parts FROM quipu_run_files GROUP BY file ORDER BY file',
  )
  for (const { file, parts } of rows) {
    const bodies: Uint8Array[] = []
    for (let part = 0; part < Number(parts); part++)
      bodies.push((await runFilePart(connection, file, part)).rows[0].body)
    yield { name: file, bytes: Buffer.concat(bodies) }
  }
}

/** The problems of the files in a backup. */
export async function checkRunFiles(folder: string, expected: RunFilesHead | undefined): Promise<string[]> {
  const found = await headOf(runFilesIn(folder))
  if (found?.hash === expected?.hash) return []
  const text = (head: RunFilesHead | undefined): string =>
    head ? `${head.files} files with ${head.bytes} bytes and hash ${head.hash}` : 'no files'
  return [`the files of its runs are ${text(found)}, expected ${text(expected)}`]
}

async function headOf(
  files: AsyncIterable<RunFile>,
  use: (file: RunFile) => Promise<void> = () => Promise.resolve(),
): Promise<RunFilesHead | undefined> {
  const all = createHash('sha256')
  let [count, size] = [0, 0]
  for await (const file of files) {
    await use(file)
    all.update(`${file.name} ${createHash('sha256').update(file.bytes).digest('hex')}\n`)
    count += 1
    size += file.bytes.length
  }
  return count === 0 ? undefined : { files: count, bytes: size, hash: all.digest('hex') }
}

function ifMissing(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined
  throw error
}
