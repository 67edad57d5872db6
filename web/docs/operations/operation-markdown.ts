import { errors, errorsOf, examples, fieldRows, type Operation, type OperationName } from '@quipu/contract'
import { snippetsOf } from './examples.ts'
import { type Group, shownPath, titleOf } from './operation-catalog.ts'
import { callersInWords, inputParts, notesOf, scopeInWords } from './operation-words.ts'

/** The page of an operation as Markdown. */
export function operationMarkdown(name: OperationName, declared: Operation): string {
  const [title, rest] = titleOf(declared)
  return [
    `# ${title}`,
    `\`${declared.method} ${shownPath(declared)}\` (\`${name}\`)`,
    rest,
    [
      `- For: ${callersInWords(declared)}`,
      `- OAuth scope: ${scopeInWords(declared)}`,
      ...notesOf(declared).map((note) => `- ${note}`),
    ].join('\n'),
    ...snippetsOf(name).map(
      ({ title: language, language: tag, code }) => `## ${language}\n\n${fenced(code, tag)}`,
    ),
    ...inputParts(declared).map(({ title: part, shape }) => `## ${part}\n\n${fieldsOf(shape, 'required')}`),
    `## Response\n\n${responseOf(name, declared)}`,
    errorsMarkdown(declared),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

const fenced = (code: string, language: string): string => `\`\`\`${language}\n${code}\n\`\`\``

function fieldsOf(shape: Parameters<typeof fieldRows>[0], always: string): string {
  const rows = fieldRows(shape).map(({ name, type, presence, about }) => {
    const details = [type, presence || always].filter((part) => part !== '').join(', ')
    return `- \`${name}\` (${details})${about === '' ? '' : `: ${about}`}`
  })
  return rows.length === 0 ? 'Any JSON.' : rows.join('\n')
}

function responseOf(name: OperationName, { status, raw, output }: Operation): string {
  if (raw !== undefined) return `Status ${status}, \`${raw}\`.`
  if (output === undefined) return `Status ${status}, without a body.`
  const example = fenced(JSON.stringify(examples[name].output, null, 2), 'json')
  return `Status ${status}.\n\n${example}\n\n${fieldsOf(output, '')}`
}

function errorsMarkdown(declared: Operation): string {
  const names = declared.family === 'oauth' ? [] : errorsOf(declared)
  if (names.length === 0) return ''
  return `## Errors\n\n${names.map((name) => `- ${errors[name].status} \`${name}\`: ${errors[name].when}`).join('\n')}`
}

/** A group of operations as Markdown, with links to the Markdown of each. */
export const groupMarkdown = ({ title, about, members }: Group): string =>
  `# ${title}

${about}

${members.map(({ name, declared }) => `- [${name}](${name}.md): \`${declared.method} ${shownPath(declared)}\`. ${declared.summary}`).join('\n')}
`
