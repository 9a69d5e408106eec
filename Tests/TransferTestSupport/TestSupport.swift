// Tests that send requests import this module alone.
@_exported import TestSupport
