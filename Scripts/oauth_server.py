"""An authorization server made of Authlib's grants: client credentials, refresh tokens that are rotated, and the device flow.

The client `app` has the secret `secret of the app: 100%`, and uses it in `Authorization` or in the body; `public` has none. A refresh token can be used
once; if it is used again, all tokens of the same user are revoked. `POST /approve?user_code=…` signs the user in, `POST /deny?…` refuses,
and `GET /resource` needs an access token. `POST /use` takes the place of the client in another refresh.
"""

import os
import threading
import time

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin
from authlib.oauth2.rfc6749.grants import ClientCredentialsGrant, RefreshTokenGrant
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialMixin
from flask import Flask, jsonify, request

app = Flask(__name__)
app.config.update(
    OAUTH2_REFRESH_TOKEN_GENERATOR=True,
    OAUTH2_TOKEN_EXPIRES_IN={"client_credentials": 3600, "refresh_token": 3600, DeviceCodeGrant.GRANT_TYPE: 3600},
)
lock = threading.RLock()
devices, decisions, tokens = {}, {}, []


class Client(ClientMixin):
    def __init__(self, name, secret):
        self.name, self.secret = name, secret

    def get_client_id(self):
        return self.name

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return " ".join(name for name in (scope or "").split() if name in ("read", "write"))

    def check_redirect_uri(self, redirect_uri):
        return False

    def check_client_secret(self, secret):
        return self.secret == secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "none" if self.secret is None else method in ("client_secret_basic", "client_secret_post")

    def check_response_type(self, response_type):
        return False

    def check_grant_type(self, grant_type):
        return True


CLIENTS = {"app": Client("app", "secret of the app: 100%"), "public": Client("public", None)}


class Token(TokenMixin):
    def __init__(self, fields, client, user):
        self.fields, self.client, self.user = fields, client, user
        self.issued, self.is_revoked, self.is_spent = time.time(), False, False

    def check_client(self, client):
        return self.client == client.get_client_id()

    def get_scope(self):
        return self.fields.get("scope", "")

    def get_expires_in(self):
        return self.fields["expires_in"]

    def is_expired(self):
        return self.issued + self.fields["expires_in"] < time.time()

    def get_user(self):
        return self.user

    def get_client(self):
        return CLIENTS[self.client]


def save_token(fields, request):
    with lock:
        tokens.append(Token(fields, request.client.get_client_id(), request.user))


class Device(DeviceCredentialMixin):
    def __init__(self, client, scope, data):
        self.client, self.scope, self.data, self.expires = client, scope, data, time.time() + data["expires_in"]
        self.polled = 0

    def get_client_id(self):
        return self.client

    def get_scope(self):
        return self.scope

    def get_user_code(self):
        return self.data["user_code"]

    def is_expired(self):
        return time.time() > self.expires


class Devices(DeviceAuthorizationEndpoint):
    INTERVAL = 1

    def get_verification_uri(self):
        return "https://auth.test/device"

    def save_device_credential(self, client_id, scope, data):
        with lock:
            devices[data["device_code"]] = Device(client_id, scope, data)


class DeviceCode(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]

    def query_device_credential(self, device_code):
        return devices.get(device_code)

    def query_user_grant(self, user_code):
        return decisions.get(user_code)

    def should_slow_down(self, credential):
        with lock:
            credential.polled += 1
            return credential.polled == 2


class Refresh(RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        with lock:
            for token in tokens:
                if token.fields.get("refresh_token") != refresh_token:
                    continue
                if token.is_spent:
                    for other in tokens:
                        other.is_revoked = other.is_revoked or other.user == token.user
                return None if token.is_revoked else token
        return None

    def authenticate_user(self, credential):
        return credential.user

    def revoke_old_credential(self, credential):
        with lock:
            credential.is_spent = True


class ClientCredentials(ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]


server = AuthorizationServer(app, query_client=CLIENTS.get, save_token=save_token)
for grant in (ClientCredentials, Refresh, DeviceCode):
    server.register_grant(grant)
server.register_endpoint(Devices)


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/device")
def device():
    return server.create_endpoint_response(Devices.ENDPOINT_NAME)


@app.post("/approve")
def approve():
    # Each code is another user.
    decisions[request.args["user_code"]] = (request.args["user_code"], True)
    return jsonify({})


@app.post("/deny")
def deny():
    decisions[request.args["user_code"]] = (request.args["user_code"], False)
    return jsonify({})


@app.post("/revoke-access")
def revoke_access():
    """Revokes the access tokens, so that clients have to refresh."""
    with lock:
        for token in tokens:
            token.fields["access_token"] += "-revoked"
    return jsonify({})


@app.get("/resource")
def resource():
    name, _, value = request.headers.get("Authorization", "").partition(" ")
    with lock:
        found = next((token for token in tokens if token.fields["access_token"] == value), None)
        if name != "Bearer" or found is None or found.is_revoked or found.is_expired():
            return jsonify({"error": "invalid_token"}), 401
        return jsonify({"scope": found.get_scope()})
