import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** A library of somebody else inside a bundle. */
export type Library = {
  readonly name: string
  readonly version: string
  readonly license: string
  /** The licence, word for word. */
  readonly text: string
}

type Bundle = {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>
}

/** The libraries of which a bundle has code. A library without a licence cannot be published. */
export function librariesOf({ outputs }: Bundle): readonly Library[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs))
  const folders = inputs.map((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
  return [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .map((folder) => readLibrary(join(root, folder)))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
}

function readLibrary(folder: string): Library {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const text = licenceFile(folder) ?? licenceSection(folder)
  if (text === undefined || typeof license !== 'string') throw new Error(`${name} has no licence text`)
  return { name, version, license, text: text.trim() }
}

function licenceFile(folder: string): string | undefined {
  const [file] = readdirSync(folder).filter((name) => /^licen[cs]e/i.test(name))
  return file && readFileSync(join(folder, file), 'utf8')
}

/** Some libraries have their licence only at the end of their README. */
const licenceSection = (folder: string): string | undefined =>
  /^## licen[cs]e\n([\s\S]+)/im.exec(readFileSync(join(folder, 'README.md'), 'utf8'))?.[1]

/** One text file with the licences of all libraries. Libraries with the same text share it. */
export const licenceTexts = (libraries: readonly Library[]): string =>
  [...Map.groupBy(libraries, ({ text }) => text)]
    .map(([text, same]) => {
      const names = new Set(same.map(({ name, version, license }) => `${name} ${version} (${license})`))
      return `${[...names].join('\n')}\n\n${text}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
