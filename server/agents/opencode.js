// Handrail for opencode. "handrail setup opencode" wrote this file, "handrail setup --remove opencode" removes it.
import { spawn } from 'node:child_process'

const program = PROGRAM
const args = ARGS
const guard = GUARD

// One event to Handrail, and its answer: {context, notice, decision, reason}, or nothing.
const call = (event, payload) =>
  new Promise((resolve) => {
    const child = spawn(program, [...args, event], { stdio: ['pipe', 'pipe', 'ignore'] })
    let out = ''
    child.on('error', () => resolve({})) // the program is gone
    child.stdin.on('error', () => {})
    child.stdout.on('data', (data) => (out += data))
    child.on('close', () => {
      try {
        resolve(JSON.parse(out))
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify({ host: 'opencode', event, ...payload }))
  })

export const Handrail = async ({ directory, client }) => {
  const agents = new Set() // sessions that an agent began
  const of = (session) => ({ session, cwd: directory })
  const tool = (input, args, more) => ({ tool: { id: input.callID, name: input.tool, input: args, ...more } })
  return {
    'chat.message': async (input, output) => {
      const words = output.parts.filter((p) => p.type === 'text' && !p.synthetic)
      const prompt = words.map((p) => p.text).join('\n')
      if (!prompt || agents.has(input.sessionID)) return
      const { context } = await call('prompt', { ...of(input.sessionID), prompt })
      if (context) output.parts.push({ ...words[0], id: words[0].id + 'handrail', text: context, synthetic: true })
    },
    'tool.execute.before': async (input, output) => {
      if (!guard) return
      const { decision, reason } = await call('tool-before', { ...of(input.sessionID), ...tool(input, output.args) })
      if (decision) throw new Error(reason)
    },
    'tool.execute.after': async (input, output) => {
      const known = { ...input.args }
      if (output.metadata?.exists) delete known.content // which of its lines are new is not told
      const more = { output: String(output.output ?? '').slice(-65536), exit: output.metadata?.exit ?? undefined }
      const { context } = await call('tool', { ...of(input.sessionID), ...tool(input, known, more) })
      if (context) output.output = `${output.output ?? ''}\n\n${context}`
    },
    event: async ({ event }) => {
      if (event.type === 'session.created') {
        const { id, parentID } = event.properties.info
        if (parentID) agents.add(id)
        else await call('start', of(id))
      }
      const id = event.properties?.sessionID
      if (event.type !== 'session.idle' || agents.has(id)) return
      const { data } = await client.session.messages({ path: { id } })
      const since = (data ?? []).slice((data ?? []).findLastIndex((m) => m.info.role === 'user') + 1)
      const texts = since.flatMap((m) => m.parts.filter((p) => p.type === 'text').map((p) => p.text))
      const { notice } = await call('answer', { ...of(id), answer: texts.join('\n\n') })
      if (notice) await client.tui.showToast({ body: { message: notice, variant: 'info' } }).catch(() => {})
    },
  }
}
