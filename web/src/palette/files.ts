import { serverUrl } from '../session/session.ts'
import type { Command, DocsTitle } from './built-files.ts'

/** A file that the build writes beside the documentation, read at the first use. A failed read is tried again. */
function builtFile<Content>(name: string): () => Promise<Content> {
  let reading: Promise<Content> | undefined
  return () => {
    reading ??= read<Content>(name).catch((error) => {
      reading = undefined
      throw error
    })
    return reading
  }
}

async function read<Content>(name: string): Promise<Content> {
  const response = await fetch(`${serverUrl}/docs/${name}`)
  if (!response.ok) throw new Error(`docs/${name}: status ${response.status}`)
  return response.json()
}

export const docsTitles = builtFile<readonly DocsTitle[]>('titles.json')
export const commandList = builtFile<readonly Command[]>('commands.json')
