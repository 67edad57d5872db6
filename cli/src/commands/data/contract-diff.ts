import { readFileSync } from 'node:fs'
import { version } from '@quipu/broker/data-folder/version.ts'
import { entryIn, errorMessage } from '@quipu/core/values'
import { type CliCommand, CommandFailed } from '../command.ts'
import { counted, printText } from '../output.ts'

export const contractCommands: readonly CliCommand[] = [
  {
    name: 'contract diff',
    about:
      'Compare the API of this program with an OpenAPI document (JSON or YAML), and list operations, fields and enumerations ' +
      'that differ. Exit code 1 if the document has something that Quipu does not have.',
    arguments: [{ name: 'FILE', about: 'The OpenAPI document.' }],
    flags: { all: { about: 'Also list what only Quipu has.', field: null } },
    usesDataFolder: true,
    example: 'quipu contract diff trading-api.yaml',
    run: async (context) => {
      const [{ quipuOperations }, { operationsOf }, { compareContracts, differenceLine }] = await Promise.all(
        [
          import('../../contract/quipu-operations.ts'),
          import('../../contract/open-api.ts'),
          import('../../contract/compare.ts'),
        ],
      )
      const file = entryIn(context.args, 'FILE')
      const read = await parsed(file)
      const quipu = quipuOperations(version)
      const theirs = attempt(file, () => operationsOf(read))
      const { shared, differences, others } = compareContracts(theirs, quipu)
      const isMissing = ({ onlyIn, valuesOnlyInFile = [] }: (typeof differences)[number]): boolean =>
        onlyIn === 'file' || valuesOnlyInFile.length > 0
      const missing = differences.filter(isMissing)
      const shown = context.args.has('all')
        ? differences
        : missing.map(({ valuesOnlyInQuipu: _, ...difference }) => difference)
      const end = [
        `${counted(theirs.size, 'operation')} in the file, ${shared} of them in Quipu`,
        `${counted(missing.length, 'difference')} that Quipu lacks`,
        `${differences.length - missing.length} that only Quipu has`,
      ]
      printText(
        context,
        { shared, others, differences: shown },
        [...shown.map(differenceLine), end.join(', ')].join('\n'),
      )
      return missing.length === 0 ? 0 : 1
    },
  },
]

async function parsed(file: string): Promise<unknown> {
  const text = attempt(file, () => readFileSync(file, 'utf8'))
  if (/^\s*\{/.test(text)) return attempt(file, () => JSON.parse(text))
  const { parseYaml } = await import('@quipu/server/scenarios/yaml.ts')
  return attempt(file, () => parseYaml(text))
}

function attempt<Value>(file: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw new CommandFailed(`${file}: ${errorMessage(error)}`)
  }
}
