// An interop client on @ai-sdk/mcp (see ../README.md). It knows forms, but no
// sampling, roots, progress or ping; an aborted call it does not cancel.
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { answerForm } from '../typescript/answers.mjs';
import { serveCommands } from '../typescript/client_loop.mjs';

const target = JSON.parse(process.argv[2]);

const client = await createMCPClient({
  transport: target.url ? { type: 'http', url: target.url }
    : new Experimental_StdioMCPTransport({ ...target, stderr: 'ignore' }),
  clientName: 'interop-client',
  version: '1',
  capabilities: { elicitation: {} },
});
client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => answerForm(params));
await serveCommands({
  granted: client.transport.protocolVersion,
  can: ['elicitation', 'malformed'],
  list: () => client.listTools(),
  call: ({ tool, arguments: args }) => client.callTool({ name: tool, args }),
  close: () => client.close(),
});
