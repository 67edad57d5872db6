import { dirname } from 'node:path'
import { inEachFile, matchesIn, type RepositoryFile, type Rule } from '../rule.ts'
import { isProduct, isSource } from '../sources.ts'

const LINES_MAX = 280
const MODULES_MAX = 25
const MEMBERS_MAX = 12

const fewLines: Rule = {
  name: `no file has more than ${LINES_MAX} lines`,
  covers: (path) => isSource(path) && !/\.table\.tsx?$/.test(path),
  violations: inEachFile(({ text }) => {
    const lines = text.split('\n').length - 1
    return lines > LINES_MAX ? [`${lines} lines`] : []
  }),
  planted: [
    {
      files: {
        'core/src/planted.ts': '\n'.repeat(LINES_MAX + 1),
        'tests/planted.spec.ts': '\n'.repeat(LINES_MAX),
        'core/src/planted.table.ts': '\n'.repeat(LINES_MAX + 1),
      },
      refused: [`core/src/planted.ts: ${LINES_MAX + 1} lines`],
    },
  ],
}

const fewModules: Rule = {
  name: `no folder has more than ${MODULES_MAX} modules`,
  covers: (path) => isSource(path) && !path.endsWith('.spec.ts'),
  violations(files) {
    const counts = Map.groupBy(files, ({ path }) => dirname(path))
    return [...counts]
      .filter(([, modules]) => modules.length > MODULES_MAX)
      .map(([folder, modules]) => `${folder}: ${modules.length} modules`)
  },
  planted: [
    {
      files: Object.fromEntries(
        Array.from({ length: MODULES_MAX + 1 }, (_, n) => [`core/src/planted/module-${n}.ts`, '']),
      ),
      refused: [`core/src/planted: ${MODULES_MAX + 1} modules`],
    },
  ],
}

const fewMembers: Rule = {
  name: `no class has more than ${MEMBERS_MAX} public members`,
  covers: isProduct,
  exceptions: {
    'broker/src/binary/reader.ts': 'reads bytes, with one method per type of value',
    'broker/src/binary/writer.ts': 'writes bytes, with one method per type of value',
    'broker/src/query-tables/fork/fork-query-tables.ts':
      'implements the port QueryTables, which has one method per query',
    'broker/src/query-tables/memory.ts': 'implements the port QueryTables, which has one method per query',
    'broker/src/query-tables/threaded.ts': 'implements the port QueryTables, which has one method per query',
  },
  violations: inEachFile((file) =>
    publicMembers(file)
      .filter(([, members]) => members.size > MEMBERS_MAX)
      .map(([name, members]) => `${name} has ${members.size} public members`),
  ),
  planted: [
    {
      files: {
        'core/src/planted.ts': [
          'export class Small {',
          ...Array.from({ length: MEMBERS_MAX }, (_, n) => `  readonly field${n}: number`),
          '  #hidden = 1\n  constructor() {\n    this.#hidden = 2\n  }\n  get field1() {\n    return 1\n  }\n}',
          'class Large<Value> extends Map<Value, Value> {',
          ...Array.from({ length: MEMBERS_MAX - 2 }, (_, n) => `  method${n}(): void {}`),
          '  static async *[Symbol.iterator]() {}\n  override async run(): Promise<void> {}\n  value?: Value\n}',
        ].join('\n'),
      },
      refused: [`core/src/planted.ts: Large has ${MEMBERS_MAX + 1} public members`],
    },
  ],
}

const fewServices: Rule = {
  name: `no bag of services has more than ${MEMBERS_MAX} members`,
  covers: isProduct,
  violations: inEachFile(({ code }) =>
    [...code.matchAll(/^export (?:type|interface) (\w*Services)\b.*\{\n([\s\S]*?)^\}/gm)]
      .map(([, name, body]) => [name, matchesIn(body!, /^ {2}(?:readonly )?\w+[?(:<]/m).length] as const)
      .filter(([, count]) => count > MEMBERS_MAX)
      .map(([name, count]) => `${name} has ${count} members`),
  ),
  planted: [
    {
      files: {
        'core/src/planted.ts': [
          'export type Services = {',
          ...Array.from({ length: MEMBERS_MAX }, (_, n) => `  readonly part${n}?: {\n    one: 1\n  }`),
          '  close(): void\n}',
          'export interface FewServices {',
          ...Array.from({ length: MEMBERS_MAX }, (_, n) => `  part${n}: number`),
          '}',
        ].join('\n'),
      },
      refused: [`core/src/planted.ts: Services has ${MEMBERS_MAX + 1} members`],
    },
  ],
}

const MEMBER =
  /^ {2}(?:(?:static|override|abstract|declare|readonly|async|get|set|accessor) )*\*?([A-Za-z]\w*|\[Symbol\.\w+\])(?=[(:<=?!]| =|$)/

/** The names of the public members of each class. The formatter indents members by two spaces. */
function publicMembers({ code }: RepositoryFile): readonly (readonly [string, ReadonlySet<string>])[] {
  return [...code.matchAll(/^(?:export )?(?:default )?(?:abstract )?class (\w+)[\s\S]*?^\}/gm)].map(
    ([body, name]) => {
      const members = body
        .split('\n')
        .slice(1)
        .map((line) => MEMBER.exec(line)?.[1])
        .filter((member) => member !== undefined && !/^(constructor|private|protected)$/.test(member))
      return [name!, new Set(members as string[])]
    },
  )
}

export const rules: readonly Rule[] = [fewLines, fewModules, fewMembers, fewServices]
