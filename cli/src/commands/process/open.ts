import { spawn } from 'node:child_process'
import { type CliCommand, type CommandContext, CommandFailed } from '../command.ts'

/** A user of this command has the operator key, so the link also grants operator rights. */
export const openCommand: CliCommand = {
  name: 'open',
  about:
    'Open the browser, signed in as an operator. Without a terminal, print the link, which works once within an hour.',
  flags: {
    user: { placeholder: 'USER', about: 'Name or id of the operator. Default: the first operator.' },
    print: { about: 'Print the link and open no browser.' },
  },
  operations: ['listUsers', 'createSignInLink'],
  example: 'quipu open',
  run: async (context) => {
    const { operator, config, args, json, print, isTerminal } = context
    const { world } = config
    const wanted = args.get('user')
    const users = wanted === undefined ? await operator().listUsers({ params: { world } }) : []
    const user = wanted ?? users.find((one) => one.operator && !one.disabled)?.name
    if (user === undefined)
      throw new CommandFailed(
        `the world ${world} has no operator to sign in; create one: quipu user create NAME --operator yes`,
      )
    const link = await operator().createSignInLink({ params: { world, user }, body: { operator: true } })
    print(json ? JSON.stringify(link) : link.url)
    if (isTerminal && !json && !args.has('print')) await launch(context, link.url)
    return 0
  },
}

/** The program that opens links; undefined on a machine without a display. */
export function opener(
  env: CommandContext['env'],
  platform: NodeJS.Platform = process.platform,
): readonly string[] | undefined {
  if (env['BROWSER']) return [env['BROWSER']]
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined
}

/** The link is already printed, so a browser that does not open is not an error. */
function launch(context: CommandContext, url: string): Promise<void> {
  const [program, ...words] = opener(context.env) ?? []
  if (program === undefined) {
    context.note('no browser found: open the link above within an hour (it works once)')
    return Promise.resolve()
  }
  return new Promise((resolve) => {
    const child = spawn(program, [...words, url], { detached: true, stdio: 'ignore' })
    child.once('error', () => {
      context.note(`${program} did not start: open the link above within an hour (it works once)`)
      resolve()
    })
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
  })
}
