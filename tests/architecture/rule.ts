import { mayImport } from './dependencies.table.ts'
import { type Imports, importsIn, paths, textOf } from './sources.ts'

export type RepositoryFile = {
  readonly path: string
  readonly text: string
  /** The text without comments. */
  readonly code: string
  readonly imports: Imports
}

export type Dependencies = Readonly<Record<string, readonly string[]>>

/** The files that rules look at (TypeScript, pages and package.json), and the paths of all files. */
export type Repository = {
  readonly files: readonly RepositoryFile[]
  readonly paths: ReadonlySet<string>
  readonly mayImport: Dependencies
}

/** Changes of the repository that a rule must refuse, with these violations. */
export type Planted = {
  readonly files?: Readonly<Record<string, string>>
  readonly mayImport?: Dependencies
  readonly refused: readonly string[]
}

export type Rule = {
  readonly name: string
  /** Whether the rule looks at a file. */
  readonly covers: (path: string) => boolean
  /** Files that may break the rule, each with the reason. */
  readonly exceptions?: Readonly<Record<string, string>>
  /** What is wrong, one line each. */
  readonly violations: (files: readonly RepositoryFile[], repository: Repository) => readonly string[]
  readonly planted: readonly Planted[]
}

export function repositoryFile(path: string, text: string): RepositoryFile {
  let code: string | undefined
  let imports: Imports | undefined
  return {
    path,
    text,
    get code() {
      code ??= text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      return code
    },
    get imports() {
      imports ??= importsIn(path, text)
      return imports
    },
  }
}

/** The files on disk. */
export const repository: Repository = {
  files: paths
    .filter((path) => /(?<!\.d)\.tsx?$|\.js$|\.md$|(^|\/)package\.json$/.test(path) && !/^\./.test(path))
    .map((path) => repositoryFile(path, textOf(path))),
  paths: new Set(paths),
  mayImport,
}

/** The repository with planted files and dependencies. */
export function withPlanted({ files = {}, mayImport = {} }: Planted, before = repository): Repository {
  const planted = Object.entries(files).map(([path, text]) => repositoryFile(path, text))
  return {
    files: [...before.files.filter(({ path }) => !(path in files)), ...planted],
    paths: new Set([...before.paths, ...Object.keys(files)]),
    mayImport: { ...before.mayImport, ...mayImport },
  }
}

export const violationsOf = (rule: Rule, within: Repository): readonly string[] =>
  rule.violations(
    within.files.filter(({ path }) => rule.covers(path) && !(path in (rule.exceptions ?? {}))),
    within,
  )

/** For a rule that looks at one file at a time: the path, and what is wrong in the file. */
export const inEachFile =
  (wrong: (file: RepositoryFile, repository: Repository) => readonly string[]): Rule['violations'] =>
  (files, repository) =>
    files.flatMap((file) => wrong(file, repository).map((what) => `${file.path}: ${what}`))

/** All matches of a pattern in a text. */
export const matchesIn = (text: string, pattern: RegExp): readonly string[] =>
  Array.from(text.matchAll(new RegExp(pattern, `${pattern.flags}g`)), ([match]) => match)
