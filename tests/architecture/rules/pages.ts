import { dirname, join, normalize } from 'node:path'
import { inEachFile, type Rule } from '../rule.ts'
import { fileOfPackage, isSource } from '../sources.ts'

/** A page of the repository. The changelog also names files of earlier versions. */
const isPage = (path: string): boolean => path.endsWith('.md') && path !== 'CHANGELOG.md'

const existingSources: Rule = {
  name: 'every source file that a page names exists',
  covers: isPage,
  /**
   * A page names a file by its path in the repository or by the end of that path; the README of a source folder may
   * shorten the paths of files in that folder only.
   */
  violations(pages, repository) {
    const sources = [...repository.paths].filter(isSource)
    return inEachFile(({ path, text }) => {
      const folder = path.startsWith('docs/') ? '' : path.replace(/[^/]+$/, '')
      return [...text.matchAll(/`([\w@.-]+(?:\/[\w@.-]+)*\.tsx?)`/g)]
        .map(([, name]) => (name!.startsWith('@quipu/') ? fileOfPackage(name!) : name!))
        .filter(
          (name) =>
            !sources.some((file) => file === name || (file.startsWith(folder) && file.endsWith(`/${name}`))),
        )
    })(pages, repository)
  },
  planted: [
    {
      files: {
        'docs/planted.md':
          'Start at `world/engine.ts`, then `src/engine.ts`, `broker/src/world/none.ts` and `place.ts`.',
        // The core has place.ts, the broker has not.
        'broker/planted/README.md': 'Start at `place.ts`.',
        'server/planted.md': '`@quipu/core`, `@quipu/broker/world/none.ts`',
      },
      refused: [
        'docs/planted.md: src/engine.ts',
        'docs/planted.md: broker/src/world/none.ts',
        'broker/planted/README.md: place.ts',
        'server/planted.md: broker/src/world/none.ts',
      ],
    },
  ],
}

/** The paths, and those of all folders above. */
function withFolders(paths: Iterable<string>): ReadonlySet<string> {
  const existing = new Set<string>()
  for (const path of paths) for (let at = path; at !== '.'; at = dirname(at)) existing.add(at)
  return existing
}

const WORKSPACES =
  /^(contract|core|broker|server|cli|sdk|web|testing|tests|bench|examples|docs|packaging|python|scenarios)\/[\w./-]+$/

const existingPaths: Rule = {
  name: 'every file or folder that a page names by its path exists',
  covers: isPage,
  /** Also a path without its first folders. What a build writes does not exist yet. */
  violations(pages, repository) {
    const existing = withFolders(repository.paths)
    const ends = [...existing].map((path) => `/${path}`)
    return inEachFile(({ text }) =>
      [...text.matchAll(/`([^`\n]+)`/g)]
        .map(([, name]) => name!)
        .filter((name) => WORKSPACES.test(name) && !/\/(node_modules|dist)\b/.test(name))
        .filter((name) => {
          const path = name.replace(/\/$/, '')
          return !existing.has(path) && !ends.some((end) => end.endsWith(`/${path}`))
        }),
    )(pages, repository)
  },
  planted: [
    {
      files: {
        'core/planted.md':
          'See `core/src/orders/`, `core/none`, `docs/none.md`, `examples/none/` and `none/none`.',
      },
      refused: [
        'core/planted.md: core/none',
        'core/planted.md: docs/none.md',
        'core/planted.md: examples/none/',
      ],
    },
  ],
}

const existingLinks: Rule = {
  name: 'every relative link of a page leads to a file or folder',
  covers: isPage,
  violations(pages, repository) {
    const existing = withFolders(repository.paths)
    return inEachFile(({ path, text }) =>
      [...text.replace(/```[\s\S]*?```/g, '').matchAll(/\]\((?!\w+:|\/|#)([^)\s#]+)(?:#[^)]*)?\)/g)]
        .map(([, link]) => link!)
        .filter((link) => !existing.has(normalize(join(dirname(path), link)).replace(/\/$/, ''))),
    )(pages, repository)
  },
  planted: [
    {
      files: {
        'docs/guides/planted.md': '[a](../README.md#title) [b](none.md) [c](https://quipu.dev) [d](../none/)',
      },
      refused: ['docs/guides/planted.md: none.md', 'docs/guides/planted.md: ../none/'],
    },
  ],
}

export const rules: readonly Rule[] = [existingSources, existingPaths, existingLinks]
