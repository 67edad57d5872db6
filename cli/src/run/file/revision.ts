import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const SHORT = 7

/** The Git commit of a folder, in short; undefined outside a repository. */
export function revisionOf(folder: string): string | undefined {
  try {
    const git = gitFolder(resolve(folder))
    if (git === undefined) return undefined
    const head = readFileSync(join(git, 'HEAD'), 'utf8').trim()
    const commit = head.startsWith('ref: ') ? commitOf(git, head.slice(5)) : head
    return commit && /^[0-9a-f]{40,64}$/.test(commit) ? commit.slice(0, SHORT) : undefined
  } catch {
    return undefined
  }
}

function gitFolder(folder: string): string | undefined {
  const path = join(folder, '.git')
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return path
  // A worktree has a file that names its folder.
  if (found)
    return resolve(
      folder,
      readFileSync(path, 'utf8')
        .replace(/^gitdir: /, '')
        .trim(),
    )
  const parent = dirname(folder)
  return parent === folder ? undefined : gitFolder(parent)
}

function commitOf(git: string, ref: string): string | undefined {
  const common = statSync(join(git, 'commondir'), { throwIfNoEntry: false })
    ? resolve(git, readFileSync(join(git, 'commondir'), 'utf8').trim())
    : git
  for (const folder of [git, common]) {
    const file = join(folder, ref)
    if (statSync(file, { throwIfNoEntry: false })) return readFileSync(file, 'utf8').trim()
  }
  const packed = readFileSync(join(common, 'packed-refs'), 'utf8').split('\n')
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0]
}
