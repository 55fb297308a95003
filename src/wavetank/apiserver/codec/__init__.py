from wavetank.apiserver.codec.canonical import canonical
from wavetank.apiserver.codec.decoding import Decoded, decode, decode_delete_options
from wavetank.apiserver.codec.jsontext import encode

__all__ = ["Decoded", "canonical", "decode", "decode_delete_options", "encode"]
