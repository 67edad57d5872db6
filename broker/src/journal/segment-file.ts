import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of the journal. Its name is the number of its first event. */
export type SegmentFile = { readonly path: string; readonly first: number }

export function segmentPath(folder: string, first: number): string {
  return join(folder, `${String(first).padStart(16, '0')}.qj`)
}

/** The files of a journal in order; none if the folder does not exist. */
export async function listSegments(folder: string): Promise<readonly SegmentFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names
    .filter((name) => /^\d{16}\.qj$/.test(name))
    .sort()
    .map((name) => ({ path: join(folder, name), first: Number(name.slice(0, 16)) }))
}
