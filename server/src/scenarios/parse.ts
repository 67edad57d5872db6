import { type Problem, Scenario } from '@quipu/contract'
import { errorMessage } from '@quipu/core/values'
import { type Document, isNode, LineCounter, parseDocument } from 'yaml'
import { nameProblems, unknownFields } from './problems.ts'
import type { ScenarioFile, WireScenario } from './scenario-file.ts'

export type ScenarioProblem = { readonly line: number; readonly field: string; readonly message: string }

/** A file is not a scenario. The message has one line per problem: file, line, field, and what was expected. */
export class ScenarioInvalid extends Error {
  override readonly name = 'ScenarioInvalid'
  readonly problems: readonly ScenarioProblem[]

  constructor(path: string, problems: readonly ScenarioProblem[]) {
    super(
      problems
        .map(({ line, field, message }) => `${path}:${line}: ${field === '' ? '' : `${field}: `}${message}`)
        .join('\n'),
    )
    this.problems = problems
  }
}

const PROBLEMS_MAX = 20
/** YAML of a few kB could otherwise expand to gigabytes. */
const ALIASES_MAX = 100

/** Parses the text of a scenario file. Throws ScenarioInvalid. */
export function parseScenario(text: string, path: string): ScenarioFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const syntax = document.errors.map(({ pos, message }) => ({
    line: lines.linePos(pos[0]).line,
    field: '',
    message,
  }))
  if (syntax.length > 0) throw new ScenarioInvalid(path, syntax.slice(0, PROBLEMS_MAX))
  const wire = contentOf(document, path)
  const problems: Problem[] = []
  const scenario = Scenario.parse(wire, '', problems)
  // Some records refuse unknown fields themselves.
  const known = new Set(problems.map(({ field }) => field))
  problems.push(...unknownFields(wire, Scenario.json()).filter(({ field }) => !known.has(field)))
  if (problems.length === 0) problems.push(...nameProblems(scenario))
  if (problems.length === 0) return { path, text, scenario, wire: wire as WireScenario }
  const located = problems.slice(0, PROBLEMS_MAX).map(({ field, message }) => ({
    line: lineOf(document, lines, field),
    field,
    message: withoutField(message, field),
  }))
  throw new ScenarioInvalid(path, located)
}

function contentOf(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: ALIASES_MAX })
  } catch (error) {
    throw new ScenarioInvalid(path, [{ line: 1, field: '', message: errorMessage(error) }])
  }
}

/** Some messages begin with the field, or with the end of its path. */
function withoutField(message: string, field: string): string {
  const [, name] = /^([\w.[\]]+): /.exec(message) ?? []
  return name !== undefined && (name === 'body' || field.endsWith(name))
    ? message.slice(name.length + 2)
    : message
}

/** The line of a field such as `steps[2].place.qty`, or of the innermost part of it that exists. */
function lineOf(document: Document, lines: LineCounter, field: string): number {
  const keys = keysOf(field)
  for (let length = keys.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(keys.slice(0, length), true)
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  return 1
}

const keysOf = (field: string): readonly (string | number)[] =>
  [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? name! : Number(index),
  )
