-- spmd-clangd in neovim, without a window: findings, hover, hints, a repair.

local file = os.getenv("SPMD_WORKSPACE") .. "/step.cpp"

local function fail(what)
  print("FAILED: " .. what .. "\n")
  vim.cmd("cquit 1")
end

local function check(condition, what)
  if not condition then fail(what) end
end

local function passed(step, said)
  io.stdout:write("ok: " .. step .. ": " .. said .. "\n")
end

local function until_true(what, ask)
  if not vim.wait(60000, ask, 100) then fail("there was never " .. what) end
end

vim.cmd("edit " .. file)
local buffer = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({
  cmd = { os.getenv("SPMD_CLANGD"), "--log=error", "--background-index=false" },
  root_dir = os.getenv("SPMD_WORKSPACE"),
})
vim.lsp.buf_attach_client(buffer, id)
local client = vim.lsp.get_client_by_id(id)

local function request(method, params)
  params.textDocument = { uri = vim.uri_from_bufnr(buffer) }
  local reply, problem = client.request_sync(method, params, 60000, buffer)
  check(reply and not reply.err, method .. ": " .. vim.inspect(problem or reply))
  return reply.result
end

local function findings()
  return vim.diagnostic.get(buffer)
end

until_true("a finding", function() return #findings() == 1 end)
local finding = findings()[1]
check(finding.code == "spmd-partial-nonlinear" and finding.lnum == 5, vim.inspect(finding))
passed("finding", vim.split(finding.message, "\n")[1])

local hover = request("textDocument/hover", { position = { line = 14, character = 9 } })
local text = hover.contents.value
check(text:find("`tp: V`", 1, true) and text:find("of 'up' (V)", 1, true), text)
passed("hover", text:sub(text:find("**SPMD", 1, true), -1))

local labels = {}
for _, hint in ipairs(request("textDocument/inlayHint", {
  range = { start = { line = 0, character = 0 }, ["end"] = { line = 16, character = 0 } } })) do
  -- clangd's own are of parts, too.
  if type(hint.label) == "table" and vim.startswith(hint.label[1].value, "[") then
    local parts = {}
    for _, part in ipairs(hint.label) do table.insert(parts, part.value) end
    table.insert(labels, table.concat(parts))
  end
end
check(table.concat(labels, " ") == "[tp: V] [tp: V]", vim.inspect(labels))
passed("hints", table.concat(labels, " "))

local at = { line = 5, character = 9 }
local actions = request("textDocument/codeAction", {
  range = { start = at, ["end"] = at },
  context = { diagnostics = { finding.user_data.lsp and vim.tbl_extend("force", finding.user_data.lsp, {
    message = finding.message, range = { start = at, ["end"] = { line = 5, character = 17 } } }) } },
})
local fix
for _, action in ipairs(actions) do
  if action.isPreferred then fix = action end
end
check(fix, vim.inspect(actions))
vim.lsp.util.apply_workspace_edit(fix.edit, client.offset_encoding)
until_true("no finding after the repair", function() return #findings() == 0 end)
local repaired = vim.fn.getline(vim.fn.search("relu();", "w"))
check(repaired == "  return spmd::all_reduce(y, tp, spmd::P, spmd::R).relu();",
  table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), "\n"))
passed("repair", vim.trim(repaired))

io.stdout:write("all steps passed\n")
vim.cmd("qall!")
