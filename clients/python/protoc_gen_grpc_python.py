"""A protoc plugin that writes `*_pb2_grpc.py`, which grpcio-tools offers only as a built-in of its own protoc."""

import sys
import tempfile
from pathlib import Path

from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc  # type: ignore[import-untyped] # grpcio-tools ships no types


def generate(request: CodeGeneratorRequest) -> CodeGeneratorResponse:
    """Hand the parsed files to grpcio-tools, and its output back."""
    with tempfile.TemporaryDirectory() as folder:
        descriptors, output = Path(folder, "contract.binpb"), Path(folder, "out")
        descriptors.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
        output.mkdir()
        options = [f"--descriptor_set_in={descriptors}", f"--grpc_python_out={output}"]
        if code := protoc.main(["protoc", *options, *request.file_to_generate]):
            return CodeGeneratorResponse(error=f"grpc_tools.protoc ended with status {code}")
        return response_of(output)


def response_of(output: Path) -> CodeGeneratorResponse:
    """The files of a folder, in a fixed order."""
    response = CodeGeneratorResponse(supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL)
    for path in sorted(output.rglob("*.py")):
        response.file.add(name=path.relative_to(output).as_posix(), content=path.read_text())
    return response


if __name__ == "__main__":
    answer = generate(CodeGeneratorRequest.FromString(sys.stdin.buffer.read()))
    sys.stdout.buffer.write(answer.SerializeToString())
